import type { Steps } from '../../lib/slices.ts'
import type { Fault, FaultKind } from '../links/faults.ts'
import type { Unread, UnreadKind } from '../links/unread.ts'
import { frontMatterKeys } from '../markdown/front-matter.ts'
import { editsBetween } from '../search/near-words.ts'
import { issueList, type TreeIssue } from '../text/issues.ts'
import { type Finding, type FindingKind, finding } from './kinds.ts'

/** What a syntax is, a sentence about what becomes of it, and what to write instead. */
type Syntax = [kind: FindingKind, message: (name: string) => string, advice?: string]

/** Syntax of other tools. */
const syntaxes: Readonly<Record<UnreadKind, Syntax>> = {
  container: [
    'unread-syntax',
    name => `":::${name}" is shown as text.`,
    'Write one of :::note, :::tip, :::info, :::warning, :::danger, ::: details and ::: code-group.',
  ],
  component: ['unknown-tag', name => `The component <${name}> shows only its content.`],
  element: [
    'unknown-tag',
    name => `<${name}> is not an element of HTML and is shown as text.`,
    'Write it between backticks, or with a backslash before it.',
  ],
  tag: ['unknown-tag', name => `The tag {% ${name} %} is not known and is shown as text.`],
  shortcode: ['unread-syntax', name => `The shortcode "${name}" of Hugo is shown as text.`],
  snippet: [
    'unread-syntax',
    name => `"${name}" is shown as text.`,
    'Put the snippet into .gitbook/includes, and write {% include "…" %}.',
  ],
  directive: [
    'unread-syntax',
    name => `The directive {${name}} is shown as code.`,
    'Write Markdown, or a container such as :::note.',
  ],
  role: [
    'unread-syntax',
    name => `The role {${name}} is shown as text.`,
    'Write Markdown, such as [title](page.md#heading) for a link.',
  ],
}

function syntaxFinding(file: string, { kind, name, line }: Unread): Finding {
  const [found, message, advice] = syntaxes[kind]
  return finding(found, { file, line }, message(name), advice)
}

/** Mistakes in the format of pages. */
const faults: Readonly<Record<Exclude<FaultKind, 'key'>, Syntax>> = {
  'open-tag': [
    'unclosed-block',
    name => `The block {% ${name} %} has no end.`,
    'Write the end tag alone on a line, behind the content of the block.',
  ],
  'lone-end': [
    'unclosed-block',
    name => `{% end${name} %} ends no block.`,
    'Write the tag that begins the block, or remove this one.',
  ],
  'open-container': [
    'unclosed-block',
    name => `The block ":::${name}" has no end.`,
    'Write ":::" alone on a line, behind the content of the block.',
  ],
  'open-fence': [
    'unclosed-block',
    () => 'The code has no end: all that follows is shown as code.',
    'Write the marks that begin the code again, alone on a line behind it.',
  ],
  conflict: ['conflict-marker', name => conflictSentence(name)],
}

/** Returns the sentence about a marker that names a side of a conflict. */
export const conflictSentence = (name = ''): string =>
  `A marker of a conflict was left here${name === '' ? '' : `: ${name}`}. Both sides are shown.`

function faultFinding(file: string, { kind, name, line }: Fault): Finding {
  if (kind === 'key') return keyFinding(file, name, line)
  const [found, message, advice] = faults[kind]
  return finding(found, { file, line }, message(name), advice)
}

/** Returns the finding about a key of front matter that is not read: misspelt, or of another tool. */
function keyFinding(file: string, key: string, line: number): Finding {
  const near = [...frontMatterKeys].find(known => isNear(key, known))
  const message = `The key "${key}" is unknown and ignored.`
  return near === undefined
    ? finding('other-key', { file, line }, message)
    : finding('unknown-key', { file, line }, message, `Write "${near}", if that is meant.`)
}

/** Keys of this length may differ in two places. */
const longKey = 7

function isNear(key: string, known: string): boolean {
  const [one, other] = [key, known].map(text => text.toLowerCase().replace(/[-_ ]/g, ''))
  if (one === undefined || other === undefined || Math.abs(one.length - other.length) > 2)
    return false
  const most = other.length >= longKey ? 2 : other.length > 3 ? 1 : 0
  return one === other || editsBetween(one, other, most) <= most
}

/** Returns the findings that the text of a file has, in the order of its lines. */
export const textFindings = (
  file: string,
  {
    unread = [],
    faults: known = [],
  }: { unread?: Unread[] | undefined; faults?: Fault[] | undefined },
): Finding[] => [
  ...unread.map(each => syntaxFinding(file, each)),
  ...known.map(each => faultFinding(file, each)),
]

/** Returns sentences about the syntax of other tools in files, each with its path, in steps. */
export function* syntaxIssues(
  files: readonly { path: string; unread: readonly Unread[] }[],
): Steps<TreeIssue[]> {
  const issues = issueList()
  for (const [at, { path, unread }] of files.entries()) {
    if (at % 256 === 255) yield
    for (const each of unread) {
      const { message, advice, line } = syntaxFinding(path, each)
      issues.add({ message: `${message} ${advice}`, path, ...(line !== undefined && { line }) })
    }
  }
  return issues.all()
}
