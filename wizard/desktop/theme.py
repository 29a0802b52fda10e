"""The look: one modest stylesheet whose colours come from the system's palette, light or dark."""

from __future__ import annotations

import functools

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette

from wizard.desktop import settings

READABLE = 4.5  # contrast of text on its ground, WCAG 2.2 level AA
SEEN = 3.0  # of the edge by which a field is known, likewise
# Colours of the states, each readable on the usual grounds: (light, dark).
# A state is never shown by colour alone: a symbol and a word stand beside it.
_STATES = {
    "blocking": ("#b3261e", "#ff8a80"),
    "warning": ("#8a5000", "#ffb74d"),
    "note": ("#1f5fa8", "#8ab4f8"),
    "fine": ("#1b6e3c", "#7ddc9a"),
}

# Of a theme that the system does not have: window, fields, text.
_GROUNDS = {"light": ("#efefef", "#ffffff", "#000000"), "dark": ("#232629", "#1b1e20", "#eff0f1")}
_ACCENT = "#308cc6"  # that of Qt's Fusion style


def choose(name: str) -> None:
    """Follow a theme of settings.THEMES, also on a system that has no themes of its own."""
    scheme = settings.SCHEMES.get(name, Qt.ColorScheme.Unknown)
    QGuiApplication.setPalette(QPalette())
    QGuiApplication.styleHints().setColorScheme(scheme)
    if scheme is not Qt.ColorScheme.Unknown and is_dark(QGuiApplication.palette()) is not (name == "dark"):
        ground, base, text = (QColor(tone) for tone in _GROUNDS[name])
        palette = QPalette(ground, ground)  # Qt reckons the shades of its frames
        for role in (QPalette.ColorRole.Base, QPalette.ColorRole.ToolTipBase):
            palette.setColor(role, base)
        for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
            palette.setColor(role, text)
        for role in (QPalette.ColorRole.Highlight, QPalette.ColorRole.Accent):
            palette.setColor(role, QColor(_ACCENT))
        QGuiApplication.setPalette(palette)


def is_dark(palette: QPalette) -> bool:
    """Whether the palette writes light on dark."""
    return (
        palette.color(QPalette.ColorRole.Window).lightness() < palette.color(QPalette.ColorRole.WindowText).lightness()
    )


def signature(palette: QPalette) -> tuple[int, int, int]:
    """What every colour of ours is made from: the same signature, the same look."""
    roles = (QPalette.ColorRole.Window, QPalette.ColorRole.WindowText, QPalette.ColorRole.Accent)
    window, text, accent = (palette.color(role).rgb() for role in roles)
    return window, text, accent


def mixed(one: QColor, other: QColor, share: float) -> QColor:
    """``one`` with a share (0 to 1) of ``other``."""
    return QColor(
        round(one.red() + (other.red() - one.red()) * share),
        round(one.green() + (other.green() - one.green()) * share),
        round(one.blue() + (other.blue() - one.blue()) * share),
    )


def luminance(colour: QColor) -> float:
    """Relative luminance as WCAG 2.2 defines it, 0 (black) to 1 (white)."""
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in (colour.redF(), colour.greenF(), colour.blueF())
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: QColor, other: QColor) -> float:
    """Contrast as WCAG 2.2 defines it, 1 (none) to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def readable(tone: QColor, *grounds: QColor, dark: bool, least: float = READABLE) -> QColor:
    """The colour, or the nearest one towards white (on dark) or black that can be read on all these grounds.

    The user's system chooses the accent, and it may be yellow on white.
    """
    return QColor.fromRgba(_readable(tone.rgba(), tuple(ground.rgba() for ground in grounds), dark, least))


@functools.lru_cache(maxsize=256)
def _readable(tone_of: int, grounds_of: tuple[int, ...], dark: bool, least: float) -> int:
    tone, grounds = QColor.fromRgba(tone_of), [QColor.fromRgba(ground) for ground in grounds_of]
    end = QColor("white" if dark else "black")
    steps = (mixed(tone, end, step / 20) for step in range(21))
    readable = (mixture for mixture in steps if min(contrast(mixture, ground) for ground in grounds) >= least)
    return next(readable, end).rgba()


def colour(name: str, palette: QPalette) -> QColor:
    """A colour by its use, or by a state's name.

    "text", "muted", "disabled", "border", "field" (the edge of one), "card", "accent", "window", "mark".
    """
    text = palette.color(QPalette.ColorRole.WindowText)
    window = palette.color(QPalette.ColorRole.Window)
    base = palette.color(QPalette.ColorRole.Base)
    dark = is_dark(palette)
    card = mixed(window, text, 0.06) if dark else base
    match name:
        case "text":
            return text
        case "muted":
            return readable(mixed(text, window, 0.30), window, card, dark=dark)
        case "disabled":
            return readable(mixed(text, window, 0.50), window, card, dark=dark)
        case "border":
            return mixed(window, text, 0.20)
        case "field":
            return readable(mixed(window, text, 0.20), window, card, dark=dark, least=SEEN)
        case "window":
            return window
        case "card":
            return card
        case "mark":  # the ground of a marked line, on which the text stays readable
            return QColor("#5c4a00" if dark else "#fff3b0")
        case "accent":
            accent = palette.color(QPalette.ColorRole.Accent)
            usual = mixed(accent, QColor("white"), 0.35) if dark else mixed(accent, QColor("black"), 0.20)
            return readable(usual, window, card, dark=dark)
        case _:
            return readable(QColor(_STATES[name][1 if dark else 0]), window, card, dark=dark)


def stylesheet(palette: QPalette, font: QFont) -> str:
    """The stylesheet of the whole window."""
    size = font.pointSizeF() if font.pointSizeF() > 0 else 10.0
    names = ("text", "muted", "disabled", "border", "field", "window", "card", "accent", *_STATES)
    tones = {name: colour(name, palette) for name in names}
    accent, card = tones["accent"], tones["card"]
    values = {name: tone.name() for name, tone in tones.items()} | {
        "on_accent": "#101418" if is_dark(palette) else "#ffffff",
        "accent_soft": mixed(card, accent, 0.12).name(),
        "accent_hover": mixed(card, accent, 0.06).name(),
        "title": f"{size * 1.7:.1f}pt",
        "heading": f"{size * 1.2:.1f}pt",
        "small": f"{size * 0.92:.1f}pt",
    }
    return _SHEET % values


_SHEET = """
QLabel#title { font-size: %(title)s; font-weight: 600; }
QLabel#heading { font-size: %(heading)s; font-weight: 600; }
QLabel#cardTitle { font-weight: 600; }
QLabel#muted, QLabel#intro { color: %(muted)s; }
QLabel#small { color: %(muted)s; font-size: %(small)s; }
QLabel#error { color: %(blocking)s; }
QFrame#rail { background: %(card)s; border: none; border-right: 1px solid %(border)s; }
QFrame#footer { border: none; border-top: 1px solid %(border)s; }
QFrame#card { background: %(card)s; border: 1px solid %(border)s; border-radius: 8px; }
QFrame#card[tone] { border-top-left-radius: 2px; border-bottom-left-radius: 2px; }
QFrame#card[tone="blocking"] { border-left: 4px solid %(blocking)s; }
QFrame#card[tone="warning"] { border-left: 4px solid %(warning)s; }
QFrame#card[tone="note"] { border-left: 4px solid %(note)s; }
QFrame#card[tone="fine"] { border-left: 4px solid %(fine)s; }
QFrame#notice { background: %(card)s; border: 1px solid %(border)s; border-left: 4px solid %(note)s;
    border-radius: 2px; }
QFrame#notice[tone="blocking"] { border-left: 4px solid %(blocking)s; }
QFrame#drop { background: transparent; border: 2px dashed %(border)s; border-radius: 8px; }
QFrame#drop[over="true"] { border-color: %(accent)s; background: %(accent_soft)s; }
QScrollArea { border: none; background: transparent; }
QScrollArea > QWidget > QWidget#column { background: transparent; }
ChoiceCard, ActionCard { background: %(card)s; border: 1px solid %(border)s; border-radius: 8px; }
ActionCard { background: transparent; border-style: dashed; }
ChoiceCard:hover, ActionCard:hover { background: %(accent_hover)s; border-color: %(muted)s; }
ChoiceCard:checked { background: %(accent_soft)s; border: 2px solid %(accent)s; }
ChoiceCard:focus, ActionCard:focus { border: 2px solid %(accent)s; }
QPushButton { padding: 6px 16px; border: 1px solid %(border)s; border-radius: 6px; background: %(card)s; }
QPushButton:hover { background: %(accent_hover)s; border-color: %(muted)s; }
QPushButton:pressed { background: %(accent_soft)s; }
QPushButton:focus { border: 2px solid %(accent)s; padding: 5px 15px; }
QPushButton:disabled { color: %(disabled)s; }
QPushButton#primary { background: %(accent)s; color: %(on_accent)s; border-color: %(accent)s; font-weight: 600; }
QPushButton#primary:focus { border: 2px solid %(text)s; }
QPushButton#primary:disabled { background: transparent; color: %(disabled)s; border-color: %(border)s; }
QPushButton#step { text-align: left; border: 1px solid transparent; background: transparent; padding: 9px 10px; }
QPushButton#step:hover:enabled { background: %(accent_hover)s; }
QPushButton#step[here="true"] { background: %(accent_soft)s; font-weight: 600; color: %(text)s; }
QPushButton#step:disabled { color: %(disabled)s; }
QPushButton#step:focus { border: 2px solid %(accent)s; padding: 8px 9px; }
QPushButton#flat { border: 1px solid transparent; background: transparent; padding: 4px 8px; }
QPushButton#flat:hover { background: %(accent_hover)s; }
QPushButton#flat:focus { border: 2px solid %(accent)s; padding: 3px 7px; }
QPushButton#foldHeader { border: 2px solid transparent; border-radius: 7px; background: transparent; padding: 0; }
QPushButton#foldHeader:hover { background: %(accent_hover)s; }
QPushButton#foldHeader:focus { border-color: %(accent)s; }
QLabel#tone-blocking { color: %(blocking)s; font-weight: 600; }
QLabel#tone-warning { color: %(warning)s; font-weight: 600; }
QLabel#tone-note { color: %(note)s; font-weight: 600; }
QLabel#tone-fine { color: %(fine)s; font-weight: 600; }
QLabel#tone-muted { color: %(muted)s; font-weight: 600; }
QLabel#verdict { font-size: %(heading)s; font-weight: 600; }
QPlainTextEdit, QLineEdit, QTreeView, QTableView, QListView {
    background: %(card)s; border: 1px solid %(border)s; border-radius: 6px; }
QPlainTextEdit, QLineEdit { border-color: %(field)s; placeholder-text-color: %(muted)s; }
QPlainTextEdit, QLineEdit, QLabel, QComboBox {
    selection-background-color: %(accent)s; selection-color: %(on_accent)s; }
QCheckBox:disabled, QRadioButton:disabled, QLineEdit:disabled, QComboBox:disabled { color: %(disabled)s; }
QLineEdit { padding: 5px 6px; }
QPlainTextEdit { padding: 4px; }
QPlainTextEdit:focus, QLineEdit:focus, QTreeView:focus, QTableView:focus { border: 2px solid %(accent)s; }
QListView#cases { background: %(card)s; border: none; border-radius: 0; }
QListView#cases:focus { border: none; }
QListView#cases::item { border: 1px solid transparent; border-radius: 6px; }
QListView#cases::item:hover { background: %(accent_hover)s; }
QListView#cases::item:selected { background: %(accent_soft)s; }
QListView#cases::item:focus { border: 2px solid %(accent)s; }
QTreeView, QTableView { selection-background-color: %(accent_soft)s; selection-color: %(text)s; }
QTreeView::item, QTableView::item { padding: 5px 4px; }
QTreeView::item:selected, QTableView::item:selected { background: %(accent_soft)s; color: %(text)s; }
QHeaderView { background: %(card)s; border: none; }
QHeaderView::section { background: %(card)s; border: none; border-bottom: 1px solid %(border)s; padding: 6px 8px;
    color: %(muted)s; font-weight: 600; }
QRadioButton::indicator { width: 12px; height: 12px; border: 1px solid %(muted)s; border-radius: 7px;
    background: %(card)s; }
QRadioButton::indicator:hover, QRadioButton::indicator:focus { border-color: %(accent)s; }
QRadioButton::indicator:checked { border: 4px solid %(accent)s; width: 6px; height: 6px; background: %(on_accent)s; }
QRadioButton::indicator:disabled { border-color: %(field)s; }
QProgressBar { border: 1px solid %(field)s; border-radius: 5px; background: %(card)s; height: 10px; }
QProgressBar::chunk { background: %(accent)s; border-radius: 4px; }
QPlainTextEdit#code { background: %(window)s; border: 1px solid %(border)s; border-radius: 4px; padding: 6px 8px; }
QPlainTextEdit#value, QPlainTextEdit#small { background: transparent; border: none; padding: 0; }
QPlainTextEdit#small { color: %(muted)s; font-size: %(small)s; }
"""
