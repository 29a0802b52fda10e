"""Show the examination while it runs: a row per probe and per check, one bar, the time that remains."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QProgressBar, QTreeWidget, QTreeWidgetItem, QWidget

from wizard.case_model import CaseModel
from wizard.desktop.looks import LOOKS
from wizard.jobs.background import Work
from wizard.pages.measuring import Measuring
from wizard.pages.page import Page
from wizard.run_state import RUNNING, WAITING, Row, summary
from wizard.widgets.announce import announce
from wizard.widgets.labels import escaped_tip, plain_label
from wizard.words import area, words

# State of a row -> (icon, colour). The word stands beside it: window.toml, run-state-<state>.
_LOOKS = {
    WAITING: ("state-waiting", "muted"),
    RUNNING: ("state-running", "accent"),
    "ok": ("state-fine", "fine"),
    "clear": ("state-fine", "fine"),
    "found-blocking": ("state-found", "blocking"),
    "found-warning": ("state-warning", "warning"),
    "found-note": ("state-note", "note"),
    "inconclusive": ("state-open", "warning"),
    "skipped": ("state-skipped", "muted"),
    "cancelled": ("state-skipped", "muted"),
}
_TROUBLE = ("state-broken", "blocking")
_BEAT = 250  # milliseconds between two looks at the clock of the running rows
_DRAWN_EVERY = 4  # beats: to draw what was measured takes longer than to count seconds
_LOWEST_TREE = 220  # logical pixels
_PLAIN = frozenset((WAITING, RUNNING, "ok", "clear", "skipped"))  # states that need no look at the single rows


class RunPage(Page):
    """It runs."""

    name = "run"

    def __init__(self, case: CaseModel, work: Work, parent: QWidget | None = None) -> None:
        super().__init__(case, work, parent)
        self._state = plain_label("heading")
        self._bar = QProgressBar()
        self._bar.setRange(0, 1000)
        self._bar.setTextVisible(False)
        self.bind(self._bar.setAccessibleName, "run-progress")
        self._remaining = plain_label("muted")
        self._tree = QTreeWidget()
        self._tree.setColumnCount(3)
        self._tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._tree.setUniformRowHeights(True)
        self._tree.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = self._tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Interactive)
        header.setSectionsMovable(False)
        self._tree.setColumnWidth(2, 80)
        self.bind(self._tree.setAccessibleName, "run-table")
        self.bind(self._tree.setAccessibleDescription, "run-intro")
        self.body.addWidget(self._state)
        self.body.addWidget(self._bar)
        self.body.addWidget(self._remaining)
        self.body.addWidget(self._tree, 1)
        self._tree.setMinimumHeight(_LOWEST_TREE)
        self._measuring = Measuring(case)
        self.body.addWidget(self._measuring)
        self._items: dict[str, QTreeWidgetItem] = {}
        self._groups: dict[str, QTreeWidgetItem] = {}
        self._seen: object = None  # the examination whose rows are shown
        self._tree.itemExpanded.connect(self.refresh)
        self._beats = 0
        self._clock = QTimer(self)
        self._clock.setInterval(_BEAT)
        self._clock.timeout.connect(self._tick)
        case.changed.connect(self.refresh)
        case.progressed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show every row as it is now."""
        if self._seen is not self.case.running:
            self._seen = self.case.running
            self._clear()
        running = self.case.running
        self._group("probes", self.case.say("run-group-probes"), running.probes.values())
        for family, rows in self._families().items():
            self._group(family, self.case.say(f"run-group-{family}"), rows)
        self._bar.setRange(0, 1000 if running.probes or not self.case.is_running else 0)  # 0 to 0 is "busy"
        self._bar.setValue(round(running.share * 1000))
        state = self._state_text()
        if state != self._state.text():
            self._state.setText(state)
            if self.isVisible():
                announce(self, state)
        self._remaining.setText(self._remaining_text())
        self._remaining.setVisible(self.case.is_running)
        if self.case.is_running != self._clock.isActive():
            if self.case.is_running:
                self._clock.start()
            else:
                self._clock.stop()
        if not self.case.is_running:  # at the end, and when there is nothing yet
            self._show_measured()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The names get the room that the states do not need."""
        super().resizeEvent(event)
        self._tree.setColumnWidth(1, min(280, round(self._tree.width() * 0.36)))

    def retranslate(self) -> None:
        """The header of the table too."""
        super().retranslate()
        self._measuring.retranslate()
        self._show_measured()
        self._tree.setHeaderLabels([self.case.say(f"run-column-{name}") for name in ("what", "state", "time")])

    def repaint_states(self) -> None:
        """Draw the symbols of the rows anew."""
        self._measuring.retranslate()
        self.refresh()
        self._show_measured()

    def _show_measured(self) -> None:
        if self._measuring.is_behind():
            self._measuring.show_measurements(
                {state: self.picture(icon, colour, 16) for state, (icon, colour) in LOOKS.items()}
            )
            self.reshaped.emit()

    def _clear(self) -> None:
        self._tree.clear()
        self._items.clear()
        self._groups.clear()
        self._tree.setHeaderLabels([self.case.say(f"run-column-{name}") for name in ("what", "state", "time")])

    def _families(self) -> dict[str, list[Row]]:
        if not self.case.running.checks:
            return {}
        from checks.knowledge.catalogue import family_of

        families: dict[str, list[Row]] = {}
        for check in self.case.running.checks.values():
            families.setdefault(family_of(check.id), []).append(check)
        return families

    def _group(self, name: str, title: str, rows: Iterable[Row]) -> None:
        rows = list(rows)
        if not rows:
            return
        group = self._groups.get(name)
        if group is None:
            group = self._groups[name] = QTreeWidgetItem(self._tree)
            group.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
            font = group.font(0)
            font.setBold(True)
            group.setFont(0, font)
            group.setExpanded(name == "probes")
        group.setText(0, title)
        counts = summary(rows)
        group.setText(1, self._summary(counts, len(rows)))
        if any(state not in _PLAIN for state in counts) and not group.data(0, Qt.ItemDataRole.UserRole):
            group.setData(0, Qt.ItemDataRole.UserRole, True)  # unfolded once; the user may fold it again
            group.setExpanded(True)
        if group.isExpanded():  # the names of what nobody looks at are not even read
            for row in rows:
                self._show(group, f"{name}/{row.id}", row)

    def _summary(self, counts: dict[str, int], total: int) -> str:
        """How many have ended while some have not, else how many ended in which way; trouble is always counted."""
        ended = total - counts.get(WAITING, 0) - counts.get(RUNNING, 0)
        parts = [] if ended == total else [self.case.say("run-ended-of", ended=ended, total=total)]
        trouble_first = sorted(counts.items(), key=lambda pair: pair[0] in _PLAIN)
        parts += [self._counted(state, n) for state, n in trouble_first if ended == total or state not in _PLAIN]
        return self.case.say("list-separator").join(parts)

    def _counted(self, state: str, count: int) -> str:
        return self.case.say("run-counted", state=self.case.say(f"run-state-{state}"), count=count)

    def _show(self, group: QTreeWidgetItem, key: str, row: Row) -> None:
        item = self._items.get(key)
        if item is None:
            item = self._items[key] = QTreeWidgetItem(group)
        shown = (row.state, row.stage, row.slow, self.case.language, self.palette().cacheKey())
        if item.data(0, Qt.ItemDataRole.UserRole) != shown:
            item.setData(0, Qt.ItemDataRole.UserRole, shown)
            icon, colour = _LOOKS.get(row.state, _TROUBLE)
            name = self._name(group, row)
            item.setText(0, name)
            item.setToolTip(0, escaped_tip(name))
            item.setIcon(1, QIcon(self.picture(icon, colour, 16)))
            item.setText(1, self._detail(row))
        item.setText(2, self._time(row))

    def _name(self, group: QTreeWidgetItem, row: Row) -> str:
        if group is self._groups.get("probes"):
            return self._probe_name(row.id)
        from checks.knowledge.catalogue import cause_of

        cause, language = cause_of(row.id), self.case.language
        if row.finding is None:
            return cause.clear.of(language) if cause.clear else row.id
        from checks.knowledge.phrases import title_of

        return title_of(row.finding, language)

    def _detail(self, row: Row) -> str:
        state = self.case.say(f"run-state-{row.state}")
        if row.state == RUNNING and row.stage:
            key = "run-stage-slow" if row.slow else "run-stage"
            return self.case.say(key, stage=self._stage(row.stage))
        return state

    def _probe_name(self, probe: str) -> str:
        from wizard.report.content.fact_sheet import label
        from wizard.report.content.measured.line import computing_name

        computing = computing_name(probe, self.case.language)
        if computing:
            return computing
        runtime, _, model = probe.partition(":")  # the trial of a model: "onnxruntime:yolo.onnx"
        name = label(runtime, self.case.language)
        return self.case.say("run-model", runtime=name, model=model) if model else name

    def _stage(self, stage: str) -> str:
        key = f"run-stage-{stage}"
        return self.case.say(key) if key in area("window") else stage.replace("_", " ")

    def _time(self, row: Row) -> str:
        seconds = row.elapsed()
        if seconds is None or (row.state != RUNNING and seconds < 0.05):
            return ""
        return self.case.say("seconds", seconds=seconds)

    def _tick(self) -> None:
        """The clocks of the running rows go on between the events, and now and then what was measured is shown."""
        self._beats += 1
        if self._beats % _DRAWN_EVERY == 0:
            self._show_measured()
        for probe in self.case.running.probes.values():
            item = self._items.get(f"probes/{probe.id}")
            if item is not None and probe.state == RUNNING:
                item.setText(2, self._time(probe))

    def _state_text(self) -> str:
        if self.case.is_running:
            if not self.case.running.probes:
                return self.case.say("run-preparing")
            slow = next((probe for probe in self.case.running.probes.values() if probe.slow), None)
            if slow is not None:
                return self.case.say("run-slow", probe=self._probe_name(slow.id), stage=self._stage(slow.stage))
            return self.case.say("run-running")
        if self.case.case is None:
            return self.case.say("run-not-yet")
        return self.case.say("run-done" if self.case.case.complete else "run-cancelled")

    def _remaining_text(self) -> str:
        if not self.case.is_running:
            return ""
        if self.case.running.is_resolving:
            return words("resolutions.stage", self.case.language)
        if not self.case.running.share:
            return ""
        remaining = self.case.running.remaining
        if remaining is None:
            return self.case.say("run-remaining-unknown")
        return self.case.say("run-remaining", seconds=max(1, round(remaining)))
