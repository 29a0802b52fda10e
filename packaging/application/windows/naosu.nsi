; The installer for Windows: for this user alone, so that no administrator is asked.
; packaging/application/windows.py gives VERSION, FOLDER, ICON and OUT. Never run on Windows until now.
Unicode true
!include "MUI2.nsh"
!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Naosu"
!define CLASSES "Software\Classes"

Name "Naosu"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Naosu"
SetCompressor /SOLID lzma
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Naosu"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "Naosu Setup"
VIAddVersionKey "LegalCopyright" "Apache-2.0"

!define MUI_ICON "${ICON}"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "Japanese"

Section
  ; Only a folder of ours is ever emptied: one that holds something else is refused.
  IfFileExists "$INSTDIR\naosu.exe" empty 0
  IfFileExists "$INSTDIR\*.*" 0 fresh
  MessageBox MB_OK|MB_ICONSTOP "$INSTDIR" /SD IDOK
  Abort
empty:
  RMDir /r "$INSTDIR\_internal"
fresh:
  SetOutPath "$INSTDIR"
  File /r "${FOLDER}/*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Naosu.lnk" "$INSTDIR\naosuw.exe"

  ; Reports are PDF and JSON, which belong to other programs: Naosu is among those to open them with.
  WriteRegStr HKCU "${CLASSES}\Applications\naosuw.exe\shell\open\command" "" '"$INSTDIR\naosuw.exe" "%1"'
  WriteRegStr HKCU "${CLASSES}\Applications\naosuw.exe\SupportedTypes" ".pdf" ""
  WriteRegStr HKCU "${CLASSES}\Applications\naosuw.exe\SupportedTypes" ".json" ""
  ; `naosu` in a terminal, where Windows looks for it in a shell and by Win+R.
  WriteRegStr HKCU "Software\Microsoft\Windows\CurrentVersion\App Paths\naosu.exe" "" "$INSTDIR\naosu.exe"

  WriteRegStr HKCU "${KEY}" "DisplayName" "Naosu"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${KEY}" "DisplayIcon" "$INSTDIR\naosuw.exe"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegDWORD HKCU "${KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${KEY}" "NoRepair" 1
SectionEnd

Section "Uninstall"
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\naosu.exe"
  Delete "$INSTDIR\naosuw.exe"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Naosu.lnk"
  DeleteRegKey HKCU "${CLASSES}\Applications\naosuw.exe"
  DeleteRegKey HKCU "Software\Microsoft\Windows\CurrentVersion\App Paths\naosu.exe"
  DeleteRegKey HKCU "${KEY}"
SectionEnd
