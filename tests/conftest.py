"""What every test stands on."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # windows are built and driven, but not shown
os.environ.pop("NAOSU_LANG", None)
