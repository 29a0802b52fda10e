@echo off
rem Start Naosu. Without arguments the wizard's window; with arguments the headless command.
rem The first start installs what is needed; later ones start at once.
setlocal
call "%~dp0common.cmd" "" || goto failed
rem What helps and hints tell the user to type: no command naosu need be on the search path.
set NAOSU_PROGRAM=%0
rem -I: PYTHONPATH, the current folder and the user's own packages are for the programs that are examined, not for us.
"%NAOSU_VENV%\Scripts\python.exe" -I -m wizard %*
exit /b %ERRORLEVEL%

:failed
rem After a double-click the reason would vanish with its window.
if "%~1"=="" pause
exit /b 2
