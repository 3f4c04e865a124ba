import type { Steps } from '../../lib/slices.ts'
import type { SourceLine } from './source.ts'
import { textNames } from './text-names.ts'

/** A line with what a comment on it names; a removed line has the name that it had. Blank lines have none. */
export type NamedLine = SourceLine & { name?: string }

/** Names the lines of a text in two versions, in steps. */
export function* namedLines(lines: readonly SourceLine[]): Steps<NamedLine[]> {
  const [formerName, laterName] = [textNames('line'), textNames('line')]
  const named: NamedLine[] = []

  for (const [at, line] of lines.entries()) {
    if (at % 1024 === 1023) yield
    const text = line.pieces.map(piece => piece.text).join('')
    if (text.trim() === '') {
      named.push(line)
      continue
    }
    const former = line.kind === 'added' ? undefined : formerName(text)
    const later = line.kind === 'removed' ? undefined : laterName(text)
    const name = later ?? former
    named.push({ ...line, ...(name !== undefined && { name }) })
  }

  return named
}
