import { directoryOf, isMarkdown } from '../files.ts'
import { findLinks } from '../links/find.ts'
import { decode, encode } from '../text/bytes.ts'
import { linesOf, spliceAll } from '../text/lines.ts'
import { targetFor } from './paths.ts'
import { relink } from './settle-links.ts'
import type { Template } from './template.ts'

/** What a name of a template is filled with: a file of the space (by its path), an address, or the slug of an API description. */
export type RefValue = { path: string; fragment?: string | undefined } | { url: string } | { spec: string }

const sectionMark = /^[ \t]*<!-- (if|unless|end):([a-z][A-Za-z0-9_-]{0,49}) -->[ \t]*$/

/**
 * The Markdown files of a template with its names filled in, by path as in the template; `at` says where each will
 * stand. `ref:<name>` as the target of a link becomes a relative path or an address; anywhere, the slug of an API
 * description. Lines between `<!-- if:name -->` (or `unless`) and `<!-- end:name -->` stay only where the name is given
 * (or not). Linear in the files.
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

/** Takes out what stands between the marks of a name that is not given, and the marks. */
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
  for (const line of linesOf(text)) {
    const words = text.slice(line.start, line.end)
    const [, what, name = ''] = sectionMark.exec(words) ?? []
    if (what !== undefined && names.has(name)) {
      marked = true
      if (what !== 'end') {
        const kept = values.has(name) === (what === 'if')
        open.push({ name, kept })
        if (!kept) dropped++
      } else if (open.at(-1)?.name === name && !open.pop()!.kept) dropped--
      continue
    }
    if (dropped > 0) continue
    // Where something was taken out, the blank lines around it are one.
    if (marked && words.trim() === '' && (lines.at(-1) ?? '').trim() === '') continue
    lines.push(text.slice(line.start, line.next))
    marked = marked && words.trim() === ''
  }
  return lines.join('')
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
    // With the sign of a fragment it is a link of the table of contents, and not a second place for the page itself.
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
