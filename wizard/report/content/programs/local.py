"""AI programs with a runtime of their own, in words: what each of them computes on, by its own log."""

from __future__ import annotations

from collections.abc import Iterator

from checks.facts import Facts, LocalProgram
from wizard.report.content.blocks import FactRow
from wizard.report.content.fact_sheet import FactSection
from wizard.words import known, words


def programs_in_short(facts: Facts, language: str) -> Iterator[str]:
    """A line for each that the question is about: the one that was asked about, or that a text tells of."""
    asked = facts.symptom.program if facts.symptom else ""
    programs = facts.local_programs or ()
    for program in programs:
        if (facts.reported and program.is_told) or program.name == asked:
            yield told(program, language)
    if asked and not any(program.name == asked for program in programs):
        yield words("programs.not-found", language, name=asked)


def local_program_sections(facts: Facts, language: str) -> tuple[FactSection, ...]:
    """A row for each, and what was kept of their logs."""
    programs = [program for program in facts.local_programs or () if program.is_told or not facts.reported]
    rows = tuple(FactRow(program.name, told(program, language)) for program in programs)
    logs = (FactSection(program.log, text=program.text, origin=program.log) for program in programs if program.text)
    return (FactSection(words("programs.section", language), rows), *logs) if rows else ()


def told(program: LocalProgram, language: str) -> str:
    """What is known of one, in a sentence; in two, where that was long ago."""
    sentence = _sentence(program, language)
    if program.is_old and program.is_told:
        return words("programs.old", language, told=sentence, day=program.written[:10])
    return sentence


def _sentence(program: LocalProgram, language: str) -> str:
    name = f"{program.name} {program.version or ''}".strip()
    layers = {"layers": program.layers, "total": program.layers_total}
    how = how_of(program, language)
    if program.is_whole_on_gpu or program.is_partly_on_gpu:
        key = "whole" if program.is_whole_on_gpu else "some"
        return words(f"programs.{key}", language, name=name, how=how, **layers)
    if program.layers == 0 and program.layers_total and program.devices != ():
        return words("programs.none", language, name=name, **layers)
    if program.is_on_processor:
        return words("programs.processor", language, name=name)
    if program.backend or program.devices:
        return words("programs.found", language, name=name, how=how)
    return words(f"programs.{'silent' if program.log else 'no-log'}", language, name=name, log=program.log)


def how_of(program: LocalProgram, language: str) -> str:
    """Through what it reaches the GPU, and which one."""
    backend = known(f"programs.backend-{program.backend}", program.backend or "", language)
    runtime = program.runtime if program.runtime != program.backend else ""
    parts = (backend, runtime, *(program.devices or ()))
    return words("programs.list-separator", language).join(filter(None, parts)) or "GPU"
