@echo off
rem Make the application that needs no Python, and its installer (NSIS), in dist\.
setlocal
call "%~dp0common.cmd" build || exit /b 2
set "PYTHONPATH=%~dp0.;%NAOSU_ROOT%"
"%NAOSU_VENV%\Scripts\python.exe" -P -m application
exit /b %ERRORLEVEL%
