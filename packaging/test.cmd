@echo off
rem Set up the same as run.cmd and run every check of the code. Arguments go to pytest, which then runs alone.
rem With NAOSU_TESTS=all the tests try everything, as the CI of a release does (see tests/support/extent.py).
setlocal
call "%~dp0common.cmd" test || exit /b 2
cd /d "%~dp0.."
set "BIN=%NAOSU_VENV%\Scripts"
if not "%~1"=="" (
  "%BIN%\python.exe" -m pytest %*
  exit /b
)
rem Hundreds of processes import the same modules.
set "PYTHONDONTWRITEBYTECODE="
"%BIN%\ruff.exe" check . || exit /b 1
"%BIN%\ruff.exe" format --check . || exit /b 1
"%BIN%\mypy.exe" || exit /b 1
"%BIN%\lint-imports.exe" || exit /b 1
"%BIN%\python.exe" -m pytest --numprocesses logical --maxprocesses 8 --dist worksteal
exit /b %ERRORLEVEL%
