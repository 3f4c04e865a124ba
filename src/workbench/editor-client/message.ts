/** What the message of a commit is made from: the page before and after. */
type Page = { title: string; body: string }

/** The longest message, in characters. */
const longest = 100

/**
 * Returns the message that says what changed on a page: its new title, or its first section that
 * has another text; '' if nothing has changed.
 */
export function messageOf(before: Page, after: Page): string {
  const title = after.title.trim() || before.title
  if (title !== before.title) return cut(`Rename ${before.title} to ${title}`)
  if (before.body === after.body) return ''
  const section = sectionAt(after.body, firstDifference(before.body, after.body))
  return cut(section === undefined ? `Update ${title}` : `Update ${title}: ${section}`)
}

function firstDifference(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one[at] === other[at]) at++
  return at
}

/** Returns the heading of the section at an offset, as its words stand in the text. */
function sectionAt(text: string, at: number): string | undefined {
  const end = text.indexOf('\n', at)
  const lines = text.slice(0, end === -1 ? text.length : end).split('\n')
  let fence = ''
  let found: string | undefined
  for (const line of lines) {
    const [, marks = ''] = /^ {0,3}(```+|~~~+)/.exec(line) ?? []
    if (fence === '' && marks !== '') fence = marks
    else if (fence !== '' && marks.startsWith(fence)) fence = ''
    if (fence === '' && /^#{1,6} +\S/.test(line)) found = line
  }
  return found
    ?.replace(/^#+ +/, '')
    .replace(/[*_`]|\{#[^}]*\}|<[^>]*>/g, '')
    .trim()
}

function cut(text: string): string {
  const letters = [...text]
  return letters.length <= longest ? text : `${letters.slice(0, longest - 1).join('')}…`
}
