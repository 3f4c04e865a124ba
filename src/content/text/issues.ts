import { lineAt } from './lines.ts'

/** Something wrong in a file that its author should know; never a reason to refuse the file. */
export type Issue = { message: string; line?: number }

/** Something wrong in the content, and the file it stands in. */
export type TreeIssue = Issue & { path?: string }

/** A list that stays readable: after `most` issues only their number grows. */
export type IssueList = { add: (issue: TreeIssue) => void; all: () => TreeIssue[] }

/** An empty list of issues that keeps the first `most`. */
export function issueList(most = 1000): IssueList {
  const kept: TreeIssue[] = []
  let more = 0
  return {
    add: issue => {
      if (kept.length < most) kept.push(issue)
      else more++
    },
    all: () => (more === 0 ? kept : [...kept, { message: `There are ${more} more issues.` }]),
  }
}

/** Gives the line, from 1, of an offset in a text; line ends are CRLF, LF or a lone CR. */
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
