@echo off
rem The installed command on Windows; see the one without an ending.
rem -I: PYTHONPATH, the current folder and the user's own packages are for the programs that are examined, not for us.
for %%P in ("%~dp0python.exe" "%~dp0..\python.exe") do if exist %%P (
  set "NAOSU_PYTHON_EXE=%%~fP"
  goto start
)
rem Installed for one user: Python lies elsewhere.
py -3 -E -P -m wizard %*
exit /b

:start
"%NAOSU_PYTHON_EXE%" -I -m wizard %*
