import { directoryOf, isMarkdown } from '../files.ts'
import { findLinks } from '../links/find.ts'
import { decode, encode } from '../text/bytes.ts'
import { linesOf, spliceAll } from '../text/lines.ts'
import { targetFor } from './paths.ts'
import { relink } from './settle-links.ts'
import type { Template } from './template.ts'

/** The value of a template's name: a file of the space (by path), a URL, or the slug of a spec. */
export type RefValue =
  | { path: string; fragment?: string | undefined }
  | { url: string }
  | { spec: string }

const sectionMark = /^[ \t]*<!-- (if|unless|end):([a-z][A-Za-z0-9_-]{0,49}) -->[ \t]*$/

/**
 * Returns the Markdown files of a template with its names filled in, by path in the template; `at`
 * returns the path in the space. `ref:<name>` as the target of a link becomes a relative path or a
 * URL; anywhere else, the slug of an API description. Lines between `<!-- if:name -->` (or
 * `unless`) and `<!-- end:name -->` are kept only if the name has a value (or has none). Linear in
 * the size of the files.
 */
export function fillTemplate(
  template: Template,
  values: ReadonlyMap<string, RefValue>,
  at: (path: string) => string,
): Map<string, Uint8Array> {
  const names = new Set(template.refs.map(ref => ref.name))
  const filled = new Map<string, Uint8Array>()
  for (const [path, bytes] of template.files) {
    const { text, exact } = decode(bytes)
    if (!exact || !isMarkdown(path)) continue
    const kept = keepSections(text, names, values)
    const linked = fillLinks(kept, values, directoryOf(at(path)), path === 'SUMMARY.md')
    filled.set(path, encode(fillSpecs(linked, values)))
  }

  return filled
}

/** Removes the section marks, and the sections whose condition is not met. */
function keepSections(
  text: string,
  names: ReadonlySet<string>,
  values: ReadonlyMap<string, RefValue>,
): string {
  if (!text.includes('<!-- ')) return text
  const open: { name: string; kept: boolean }[] = []
  const lines: string[] = []
  let dropped = 0
  let marked = false
  const applyMark = (what: string, name: string) => {
    if (what !== 'end') {
      const kept = values.has(name) === (what === 'if')
      open.push({ name, kept })
      if (!kept) dropped++
    } else if (open.at(-1)?.name === name && !open.pop()!.kept) dropped--
  }

  for (const line of linesOf(text)) {
    const words = text.slice(line.start, line.end)
    const mark = markIn(words, names)
    if (mark) {
      marked = true
      applyMark(mark.what, mark.name)
      continue
    }

    if (dropped > 0) continue

    const isBlank = words.trim() === ''

    // The blank lines around a removed part are merged into one.
    if (marked && isBlank && (lines.at(-1) ?? '').trim() === '') continue
    lines.push(text.slice(line.start, line.next))
    marked &&= isBlank
  }

  return lines.join('')
}

/** Returns the section mark on a line, if it names one of the template's names. */
function markIn(
  line: string,
  names: ReadonlySet<string>,
): { what: string; name: string } | undefined {
  const [, what, name = ''] = sectionMark.exec(line) ?? []
  return what !== undefined && names.has(name) ? { what, name } : undefined
}

function fillLinks(
  text: string,
  values: ReadonlyMap<string, RefValue>,
  folder: string,
  isSummary: boolean,
): string {
  if (!text.includes('ref:')) return text
  const splices = findLinks(text).flatMap(link => {
    const value =
      link.how !== 'autolink' && link.target.startsWith('ref:')
        ? values.get(link.target.slice('ref:'.length))
        : undefined
    if (!value || 'spec' in value) return []
    if ('url' in value) return [relink(text, link, value.url)]

    const { path, fragment } = value

    // With `#`, the entry of the table of contents is a link and not a second entry for the page
    // itself.
    const tail = fragment === undefined ? (isSummary ? '#' : '') : `#${fragment}`

    return [relink(text, link, targetFor(folder, path), tail)]
  })

  return spliceAll(text, splices)
}

function fillSpecs(text: string, values: ReadonlyMap<string, RefValue>): string {
  return text.replace(/\bref:([a-z][A-Za-z0-9_-]{0,49})/g, (whole, name: string) => {
    const value = values.get(name)
    return value && 'spec' in value ? value.spec : whole
  })
}
