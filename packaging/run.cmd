@echo off
rem Start Naosu. Without arguments the wizard's window; with arguments the headless command.
rem The first start installs what is needed; later ones start at once.
setlocal
call "%~dp0common.cmd" "" || exit /b 2
"%NAOSU_VENV%\Scripts\python.exe" -m wizard %*
exit /b %ERRORLEVEL%
