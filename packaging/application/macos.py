"""macOS: what Info.plist says, the icon, and the disk image. Never run on macOS until now."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from application import contents, icons
from checks.languages import LANGUAGES

IDENTIFIER = "io.github.naosu.Naosu"


def plist() -> dict[str, object]:
    """Info.plist, beside what PyInstaller writes there: versions, and the documents that Naosu opens."""
    return {
        "CFBundleName": "Naosu",
        "CFBundleDisplayName": "Naosu",
        "CFBundleShortVersionString": contents.VERSION,
        "CFBundleVersion": contents.VERSION,
        "CFBundleLocalizations": list(LANGUAGES),
        "LSApplicationCategoryType": "public.app-category.developer-tools",
        "NSHighResolutionCapable": True,
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": "Report of Naosu",
                "CFBundleTypeRole": "Viewer",
                "LSHandlerRank": "Alternate",
                "LSItemContentTypes": ["com.adobe.pdf", "public.json"],
            },
        ],
    }


def identity() -> str | None:
    """Who signs: the name of a certificate in the keychain, from NAOSU_SIGN; None: nobody."""
    return os.environ.get("NAOSU_SIGN") or None


def icon() -> str:
    """The icon of the application."""
    return str(icons.written(contents.ROOT / "build" / "naosu.icns", icons.icns()))


def make(folder: Path, release: Path) -> list[Path]:
    """The disk image. With NAOSU_NOTARIZE, a profile of notarytool, Apple is asked to notarise it."""
    image = release / f"naosu-{contents.VERSION}.dmg"
    application = folder.with_name("Naosu.app")
    subprocess.run(
        ["hdiutil", "create", "-ov", "-volname", "Naosu", "-format", "UDZO", "-srcfolder", application, image],
        check=True,
    )
    profile = os.environ.get("NAOSU_NOTARIZE")
    if profile:
        subprocess.run(["xcrun", "notarytool", "submit", "--wait", "--keychain-profile", profile, image], check=True)
        subprocess.run(["xcrun", "stapler", "staple", image], check=True)
    return [image]
