"""The menus of the window, and the keys of what is in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence

from checks.languages import languages
from wizard.desktop import settings
from wizard.flow import Step
from wizard.window.edit_menu import EditMenu
from wizard.window.history_menu import HistoryMenu
from wizard.window.recent_menus import DeletedMenu, RecentMenu

if TYPE_CHECKING:
    from wizard.window.main_window import Window

_FILE = ("new", "open", "compare", "another", "desk", "save", "export", "again", "cancel")
LANGUAGE_NAMES = {code: language.name for code, language in languages().items()}


class Menus:
    """Builds the menus of one window; ``refresh`` shows what can be done now."""

    def __init__(self, window: Window) -> None:
        self._window, self._case = window, window.case
        files, keys = window.files, QKeySequence.StandardKey
        bar = window.menuBar()
        self.file = bar.addMenu("")
        self.edit = EditMenu(window)
        bar.addMenu(self.edit)
        self.view, self.help = (bar.addMenu("") for _ in range(2))
        self.new = self._action(window.begin, keys.New)
        self.open = self._action(files.ask_open, keys.Open)
        self.compare = self._action(files.ask_compare)
        self.another = self._action(files.ask_another)
        self.desk = self._action(files.open_desk)
        self.save = self._action(files.ask_save, keys.Save)
        self.export = self._action(files.ask_export, keys.Print)
        self.again = self._action(window.again, keys.Refresh)
        self.cancel = self._action(window.work.cancel, QKeySequence(Qt.Key.Key_Escape))
        self.quit = self._action(window.close, keys.Quit)
        self.find = self._action(window.look_for, keys.Find)
        self.how = self._action(self.explain, keys.HelpContents)
        self.about = self._action(self.introduce)
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)  # where macOS looks for them, in any language
        self.about.setMenuRole(QAction.MenuRole.AboutRole)
        self.file.addActions([getattr(self, name) for name in _FILE])
        self.file.addSeparator()
        self.history = HistoryMenu(self._case, window.work.cases, window)
        self.recent, self.deleted = RecentMenu(window), DeletedMenu(window)
        self.file.insertMenu(self.compare, self.recent)
        for menu in (self.deleted, self.history):
            self.file.addMenu(menu)
        self.file.addSeparator()
        self.file.addAction(self.quit)
        self._build_view()
        self.help.addActions([self.how, self.about])

    def _build_view(self) -> None:
        self.edit.addAction(self.find)
        self.languages, self.themes = (self.view.addMenu("") for _ in range(2))
        self._language_acts = self._choices(LANGUAGE_NAMES, self._window.speak)
        self._theme_acts = self._choices(dict.fromkeys(settings.THEMES, ""), self._window.dress)
        self.languages.addActions(list(self._language_acts.values()))
        self.themes.addActions(list(self._theme_acts.values()))

    def _choices(self, names: dict[str, str], act: Callable[[str], object]) -> dict[str, QAction]:
        """Actions of which one is chosen."""
        group = QActionGroup(self._window)
        made = {value: QAction(name, group, checkable=True) for value, name in names.items()}
        group.triggered.connect(lambda chosen: act(next(value for value, one in made.items() if one is chosen)))
        return made

    def _action(
        self, act: Callable[[], object], keys: QKeySequence.StandardKey | QKeySequence | None = None
    ) -> QAction:
        action = QAction(self._window)
        action.triggered.connect(lambda: act())  # noqa: PLW0108 - without the signal's argument
        if keys is not None:
            action.setShortcuts([keys] if isinstance(keys, QKeySequence) else QKeySequence.keyBindings(keys))
        return action

    def refresh(self) -> None:
        """Enable what can be done now, and tick what holds."""
        case = self._case
        running = case.progress.running
        is_free = case.is_free
        for action in (self.new, self.open, self.compare):
            action.setEnabled(is_free)
        for action in (self.save, self.export):
            action.setEnabled(case.case is not None and is_free)
        is_own = case.case is not None and case.opened is None and not case.case.facts.reported
        self.again.setEnabled(is_own and is_free and self._window.step is Step.REPORT)
        self.cancel.setEnabled(running)
        self._language_acts[case.language].setChecked(True)
        self._theme_acts[settings.theme()].setChecked(True)

    def retranslate(self) -> None:
        """All words in the present language."""
        say = self._case.say
        for name in ("file", "view", "help"):
            getattr(self, name).setTitle(say(f"menu-{name}"))
        for name in (*_FILE, "quit", "find", "how", "about"):
            getattr(self, name).setText(say(f"menu-{name}"))
        self.languages.setTitle(say("menu-language"))
        self.themes.setTitle(say("menu-theme"))
        for theme, action in self._theme_acts.items():
            action.setText(say(f"menu-theme-{theme}"))
        for menu in (self.edit, self.recent, self.deleted, self.history):
            menu.retranslate()

    def explain(self) -> None:
        """How it is used, in a few lines."""
        self._tell("how-title", self._case.say("how-text"), self._case.say("how-more"))

    def introduce(self) -> None:
        """Who we are, and how old what we know is, in plain text."""
        from checks import __version__
        from checks.knowledge.age import knowledge_days

        oldest, newest = knowledge_days()
        more = self._case.say("about-more", oldest=oldest.isoformat(), newest=newest.isoformat())
        self._tell("about-title", self._case.say("about-text", version=__version__), more)

    def _tell(self, title: str, text: str, more: str) -> None:
        from PySide6.QtWidgets import QMessageBox  # not before the first window

        box = QMessageBox(self._window)
        box.setWindowTitle(self._case.say(title))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(text)
        box.setInformativeText(more)
        box.setIconPixmap(self._window.logo)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()
