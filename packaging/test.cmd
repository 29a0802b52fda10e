@echo off
rem Set up the same as run.cmd and run every check of the code. Arguments go to pytest.
setlocal
call "%~dp0common.cmd" test || exit /b 2
cd /d "%~dp0.."
set "BIN=%NAOSU_VENV%\Scripts"
if "%~1"=="" (
  "%BIN%\ruff.exe" check . || exit /b 1
  "%BIN%\ruff.exe" format --check . || exit /b 1
  "%BIN%\mypy.exe" || exit /b 1
  "%BIN%\lint-imports.exe" || exit /b 1
)
"%BIN%\python.exe" -m pytest %*
exit /b %ERRORLEVEL%
