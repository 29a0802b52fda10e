@echo off
rem Shared by run.cmd and test.cmd: one virtual environment, set up once. %1: "" or test.
rem What is set stands in quotes: the path of a folder may hold an ampersand or parentheses.
for %%I in ("%~dp0..") do set "NAOSU_ROOT=%%~fI"
if not defined NAOSU_VENV set "NAOSU_VENV=%NAOSU_ROOT%\.venv"
set "NAOSU_EXTRA=%~1"
set "NAOSU_TARGET=%NAOSU_ROOT%"
if not "%NAOSU_EXTRA%"=="" set "NAOSU_TARGET=%NAOSU_ROOT%[%NAOSU_EXTRA%]"
set "NAOSU_PYTHON_EXE=%NAOSU_VENV%\Scripts\python.exe"
set "NAOSU_STAMP=%NAOSU_VENV%\.naosu-%NAOSU_EXTRA%.txt"

rem The stamp is a copy of what was installed from; the same again means: nothing to do.
if not exist "%NAOSU_STAMP%" goto prepare
"%NAOSU_PYTHON_EXE%" -I -S -c "" >nul 2>nul || goto prepare
"%SystemRoot%\System32\fc.exe" /b "%NAOSU_STAMP%" "%NAOSU_ROOT%\packaging\constraints.txt" >nul 2>nul && exit /b 0

:prepare
rem What the user has set for his own Python is not for ours, nor is a program called py or python in the current folder.
setlocal
set "PYTHONPATH="
set "PYTHONHOME="
set "NoDefaultCurrentDirectoryInExePath=1"
rem Where another user set it up, what Python says of it would be all that this one reads.
if not exist "%NAOSU_VENV%" mkdir "%NAOSU_VENV%" 2>nul
copy /y nul "%NAOSU_VENV%\.naosu-lock" >nul 2>nul || (
  echo naosu: the environment in this folder belongs to another user and is not ready; ask its owner to start Naosu once, or set NAOSU_VENV to a folder of your own 1>&2
  exit /b 1
)
rem An environment whose Python was removed or upgraded does not start any more: it is made again.
"%NAOSU_PYTHON_EXE%" -I -S -c "" >nul 2>nul && goto pip
for %%V in (3.13 3.12 3.11 3.14) do (
  py -%%V -I -c "import venv, ensurepip" >nul 2>nul && (
    echo naosu: making a virtual environment with Python %%V 1>&2
    py -%%V -I -m venv "%NAOSU_VENV%" && goto pip
  )
)
python -I -c "import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))" >nul 2>nul && (
  python -I -m venv "%NAOSU_VENV%" && goto pip
)
echo naosu: Python 3.11 to 3.14 is needed; please install it from python.org or the Microsoft Store and start again 1>&2
exit /b 1

:pip
rem A first start that was interrupted may have left it without pip.
"%NAOSU_PYTHON_EXE%" -I -c "import pip" >nul 2>nul || "%NAOSU_PYTHON_EXE%" -I -m ensurepip >nul || exit /b 1
echo naosu: installing the pinned dependencies (once; PyTorch is most of it) 1>&2
"%NAOSU_PYTHON_EXE%" -I -m pip install --disable-pip-version-check --constraint "%NAOSU_ROOT%\packaging\constraints.txt" --editable "%NAOSU_TARGET%" || exit /b 1
copy /y "%NAOSU_ROOT%\packaging\constraints.txt" "%NAOSU_STAMP%" >nul
exit /b 0
