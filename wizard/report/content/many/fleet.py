"""A fleet as one document: who computes differently and why, who stands alone, what changed, what groups there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from checks.analysis.history.phrases import change_in_words
from checks.analysis.numbers.side_by_side import Agreement
from checks.facts import Change
from checks.fleet.survey import BitGroup, Drift, Group, Problem, Survey
from checks.knowledge.frameworks.computations import operation_name, setting_name
from checks.knowledge.phrases import in_language
from wizard.report.content import blocks as b
from wizard.report.content.measured.words import part_words, percent, place_words
from wizard.report.content.report import moment
from wizard.words import known, words

_MOST_QUESTIONS = 8  # of a group that are named
_MOST_CHANGES = 12  # of a host
_MOST_HOSTS = 50  # whose drift is shown; the JSON has more
_LONGEST = 90  # characters of a cell


def document_of_fleet(survey: Survey, language: str) -> b.Document:
    """The whole report of a fleet."""
    writer = _Writer(survey, language)
    return b.Document(
        language=language,
        title=writer.say("title"),
        created=survey.created,
        subtitle=moment(survey.created, language),
        verdict=writer.verdict(),
        notes=(),
        questions=(),
        sections=tuple(writer.sections()),
    )


def is_suspect(group: BitGroup) -> bool:
    """Whether a group computes differently, and nothing that was recorded can make such a difference."""
    return bool(group.questions) and (not group.explained_by or group.agreement == Agreement.BEYOND)


def explanation(group: BitGroup, language: str) -> str:
    """In one sentence, what explains that a group computes differently."""

    def say(key: str, **values: object) -> str:
        return words(f"fleet.{key}", language, **values)

    parts = words("report.cause-separator", language).join(part_words(part, language) for part in group.explained_by)
    if group.agreement == Agreement.BEYOND:
        return say("why-beyond", here=group.here, there=group.there)
    if group.proven_by and group.explained_by:
        settings = words("report.list-separator", language).join(setting_name(one, language) for one in group.proven_by)
        return say("why-proven", part=part_words(group.explained_by[0], language), settings=settings)
    if group.explained_by:
        return say("why-candidate", parts=parts, here=group.here, there=group.there)
    if group.peers:
        key = "why-nothing" if group.same == group.count else "why-nothing-for-some"
        return say(key, peers=group.peers, same=group.same, count=group.count)
    return say("why-open", here=group.here, there=group.there) if group.differences else say("why-unread")


class _Writer:
    def __init__(self, survey: Survey, language: str) -> None:
        self._survey, self._language = survey, language

    def say(self, key: str, **values: object) -> str:
        """The text of a key."""
        return words(f"fleet.{key}", self._language, **values)

    def _listed(self, names: Sequence[str], count: int | None = None) -> str:
        listed = words("report.list-separator", self._language).join(names)
        more = (count or 0) - len(names)
        return words("advice.and-more", self._language, listed=listed, count=more) if more > 0 else listed

    def _question(self, question: str) -> str:
        framework, operation, dtype, setting, device = (*question.split("/"), "", "", "", "", "")[:5]
        under = "" if setting == "default" else setting_name(setting, self._language)
        where = place_words(framework, device, self._language)
        ways = self._listed([part for part in (dtype, under, where) if part])
        return self.say("question", operation=operation_name(operation, self._language), ways=ways)

    # --- the verdict

    def verdict(self) -> b.Verdict:
        survey = self._survey
        apart = [group for group in survey.bits if group.questions]
        suspects = sum(group.count for group in apart if is_suspect(group))
        explained = sum(group.count for group in apart if not is_suspect(group))
        changed = sum(1 for drift in survey.drift if drift.bits and not drift.changes)
        if not survey.hosts:
            state, sentence = "nothing-run", self.say("verdict-empty")
        elif suspects or changed:
            state, sentence = "warning", self.say("verdict-suspects", count=suspects, changed=changed)
        elif explained:
            state, sentence = "note", self.say("verdict-explained", count=explained)
        elif survey.computed > 1 and survey.bits and survey.bits[0].count == survey.computed:
            varying = len(survey.varying)
            key, state = ("verdict-varying", "note") if varying else ("verdict-same", "clear")
            sentence = self.say(key, count=survey.computed, varying=varying)
        elif survey.computed > 1:
            state, sentence = "incomplete", self.say("verdict-apart")
        else:
            state, sentence = "incomplete", self.say("verdict-not-computed")
        symbol = b.SYMBOLS.get(state) or b.SYMBOLS["absent"]
        return b.Verdict(state, self.say(f"word-{state}"), symbol, sentence, tuple(self._scope()))

    def _scope(self) -> Iterator[str]:
        survey = self._survey
        yield self.say("scope", hosts=survey.hosts, answers=survey.answers, computed=survey.computed)
        if survey.older:
            yield self.say("scope-older", count=survey.older)
        if survey.newer:
            yield self.say("scope-newer", count=survey.newer)
        if survey.problem_count:
            yield self.say("scope-problems", count=survey.problem_count)
        if survey.varying:
            names = dict.fromkeys(operation_name(one.split("/")[1], self._language) for one in survey.varying)
            yield self.say(
                "scope-varying", count=len(survey.varying), names=self._listed(list(names)[:_MOST_QUESTIONS])
            )

    # --- the sections

    def sections(self) -> Iterator[b.Section]:
        """Everything, what wants a human first."""
        apart = [group for group in self._survey.bits if group.questions]
        for group in sorted(apart, key=lambda group: (not is_suspect(group), group.count)):
            yield self._apart(group)
        yield from self._alone()
        yield from self._drift()
        yield from self._bits()
        for area, groups in (("hardware", self._survey.hardware), ("software", self._survey.software)):
            yield from self._groups(area, groups)
        yield from self._problems()

    def _apart(self, group: BitGroup) -> b.Section:
        beside = next(other for other in self._survey.bits if other.number == group.beside)
        named = self._listed(group.hosts[:3], group.count)
        counted = {"differing": len(group.questions), "compared": group.compared, "beside": beside.count}
        questions = [self._question(question) for question in group.questions[:_MOST_QUESTIONS]]
        blocks: list[b.Block] = [
            b.Paragraph(explanation(group, self._language), b.Look.LEAD),
            b.Paragraph(self.say("apart-what", what=self._listed(questions, len(group.questions)))),
        ]
        if is_suspect(group):
            key = "apart-do" if group.peers > group.same else "apart-do-both"  # of two nobody knows which is right
            blocks.append(b.Paragraph(self.say(key, host=group.here or group.hosts[0], other=group.there)))
        rows = tuple(
            b.Row((part_words(one.part, self._language), _short(one.here), _short(one.there)))
            for one in group.differences
        )
        if rows:
            heads = (self.say("head-part"), group.here, group.there)
            blocks.append(b.Table(self.say("apart-differences"), heads, rows))
        badge = b.Badge("warning", b.SYMBOLS["warning"]) if is_suspect(group) else None
        return b.Section(self.say("apart", hosts=named, **counted), tuple(blocks), badge=badge)

    def _alone(self) -> Iterator[b.Section]:
        rows = tuple(
            b.Row(
                (
                    self._name(lone.name),
                    _short(lone.value) or "–",
                    self._listed(lone.hosts),
                    f"{_short(lone.usual) or '–'} ({percent(lone.share)})",
                )
            )
            for lone in self._survey.alone
        )
        if rows:
            heads = tuple(self.say(f"head-{key}") for key in ("what", "value", "hosts", "usual"))
            yield b.Section(self.say("alone"), (b.Table("", heads, rows),), note=self.say("alone-means"))

    def _drift(self) -> Iterator[b.Section]:
        survey = self._survey
        blocks: list[b.Block] = []
        if survey.drift:
            rows = tuple(self._drift_row(drift) for drift in survey.drift[:_MOST_HOSTS])
            heads = tuple(self.say(f"head-{key}") for key in ("host", "changed", "bits"))
            blocks.append(b.Table("", heads, rows))
        if survey.gone:
            blocks.append(
                b.Paragraph(self.say("gone", hosts=self._listed(survey.gone[:_MOST_HOSTS], survey.gone_count)))
            )
        if blocks:
            yield b.Section(self.say("drift", count=survey.drift_count), tuple(blocks))

    def _drift_row(self, drift: Drift) -> b.Row:
        changes = [
            in_language(change_in_words(Change(kind=kind, name=name, before=before, after=after)), self._language)
            for kind, name, before, after in drift.changes[:_MOST_CHANGES]
        ]
        bits = self.say("bits-changed", count=len(drift.bits), compared=drift.compared) if drift.bits else "–"
        count = len(drift.changes) + drift.more
        told = self._listed(changes, count) if changes else self.say("nothing-else")
        is_odd = bool(drift.bits) and not drift.changes
        return b.Row((drift.host, told, bits), state="warning" if is_odd else "")

    def _bits(self) -> Iterator[b.Section]:
        rows = tuple(
            b.Row((str(group.number), str(group.count), str(group.computed), self._listed(group.hosts, group.count)))
            for group in self._survey.bits
        )
        if rows:
            heads = tuple(self.say(f"head-{key}") for key in ("group", "count", "computed", "hosts"))
            table = b.Table("", heads, rows, numeric=(0, 1, 2))
            count = self._survey.group_count.get("bits", len(rows))
            yield b.Section(self.say("bits", count=count), (table,), note=self.say("bits-means"))

    def _groups(self, area: str, groups: Sequence[Group]) -> Iterator[b.Section]:
        if groups:
            rows = tuple(
                b.Row((str(group.count), self._values(group.values), self._listed(group.hosts, group.count)))
                for group in groups
            )
            heads = tuple(self.say(f"head-{key}") for key in ("count", "what", "hosts"))
            count = self._survey.group_count.get(area, len(rows))
            yield b.Section(self.say(area, count=count), (b.Table("", heads, rows, numeric=(0,)),))

    def _values(self, values: Mapping[str, str]) -> str:
        return self._listed([f"{self._name(name)} {_short(value)}" for name, value in values.items() if value])

    def _problems(self) -> Iterator[b.Section]:
        survey = self._survey
        rows = tuple(b.Row((one.host, one.place, self._problem(one))) for one in survey.problems)
        if rows:
            heads = tuple(self.say(f"head-{key}") for key in ("host", "file", "problem"))
            more = survey.problem_count - len(rows)
            note = self.say("problems-more", count=more) if more > 0 else ""
            yield b.Section(self.say("problems", count=survey.problem_count), (b.Table("", heads, rows),), note=note)

    def _problem(self, problem: Problem) -> str:
        said = known(f"fleet.problem-{problem.reason}", problem.reason, self._language)
        return f"{said} ({_short(problem.detail)})" if problem.detail else said

    def _name(self, name: str) -> str:
        return known(f"fleet.name-{name}", name, self._language)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
