import { lineAt } from './lines.ts'

/** What an issue is about, where the file that has it does not tell. */
type IssueKind = 'unknown-key' | 'missing-page' | 'contents-entry' | 'equal-address'

/** A fault of a file that its author should know of. It is never a reason to refuse the file. */
export type Issue = { message: string; line?: number; kind?: IssueKind }

/** A fault of the content, with the path of the file. */
export type TreeIssue = Issue & { path?: string }

/** A list of issues of limited length. */
export type IssueList = { add: (issue: TreeIssue) => void; all: () => TreeIssue[] }

/** Returns an empty list that keeps the first `most` issues and counts the others. */
export function issueList(most = 1000): IssueList {
  const kept: TreeIssue[] = []
  let more = 0
  return {
    add: issue => {
      if (kept.length < most) kept.push(issue)
      else more++
    },
    // Nearly all of so many are about entries of a table of contents.
    all: () =>
      more === 0
        ? kept
        : [...kept, { message: `There are ${more} more issues.`, kind: 'contents-entry' }],
  }
}

/**
 * Returns a function from an offset in a text to its line, from 1. Lines end with CRLF, LF or a
 * lone CR.
 */
export function lineCounter(text: string): (offset: number) => number {
  let starts: number[] | undefined
  return offset => {
    starts ??= lineStarts(text)
    let [low, high] = [0, starts.length]
    while (low + 1 < high) {
      const middle = (low + high) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let line = lineAt(text, 0); line.next > line.end; line = lineAt(text, line.next))
    starts.push(line.next)
  return starts
}
