import type { Call, Reply } from '../crash/clients/call.ts'
import type { Random } from '../crash/random.ts'

/** The primary content or a change request, and its edited pages. */
export type Subject = {
  /** The path for content changes. */
  path: string
  /** The path of its revision, and how to read it from the response. */
  head: { path: string; of: (reply: Reply) => string }
  /** The branch in Git. */
  ref: string
  pages: string[]
  /** Tokens that were promised, and tokens that were refused. */
  promised: Set<string>
  refused: Set<string>
}

export type Edits = {
  /** The milliseconds of each successful edit. */
  took: number[]
  conflicts: number
  problems: string[]
}

export const newEdits = (): Edits => ({ took: [], conflicts: 0, problems: [] })

export const slots = 40

/** A page with room for many writers: lines appended below different headings never conflict. */
export const slotPage = (title: string): string =>
  `# ${title}\n${Array.from({ length: slots }, (_, slot) => `\n## Part ${slot}.\n\nText of part ${slot}.\n`).join('')}`

/**
 * Edits until it is over: reads a page at a revision, appends a token, and sends it with that
 * revision.
 */
export async function edit(
  call: Call,
  spacePath: string,
  subjects: readonly Subject[],
  {
    random,
    fresh,
    isOver,
    edits,
  }: { random: Random; fresh: () => string; isOver: () => boolean; edits: Edits },
): Promise<void> {
  const get = async (path: string) => {
    const reply = await call({ method: 'GET', path })
    if (reply?.status === 200) return reply
    edits.problems.push(`GET ${path} was answered ${reply?.status} ${reply?.text.slice(0, 300)}`)
    return undefined
  }
  while (!isOver()) {
    const subject = random.pick(subjects)
    const page = random.pick(subject.pages)
    const head = await get(subject.head.path)
    if (!head) return

    const revision = subject.head.of(head)
    const read = await get(`${spacePath}/revisions/${revision}/page/${page}?metadata=false`)
    if (!read) return

    const token = fresh()
    const markdown = appended(read.body.markdown, random.below(slots), token)
    const change = {
      operation: 'update_page',
      page,
      document: { markdown },
      baseRevision: revision,
    }
    const begun = performance.now()
    const reply = await call({ method: 'POST', path: subject.path, body: { changes: [change] } })

    note(subject, edits, token, reply, performance.now() - begun)
  }
}

const appended = (markdown: string, slot: number, token: string): string =>
  markdown.replace(`Text of part ${slot}.\n`, `$&${token}\n`)

function note(
  subject: Subject,
  edits: Edits,
  token: string,
  reply: Reply | undefined,
  ms: number,
): void {
  if (reply?.status === 200) {
    subject.promised.add(token)
    edits.took.push(ms)
    return
  }
  subject.refused.add(token)
  if (reply?.status === 409) edits.conflicts++
  else edits.problems.push(`an edit was answered ${reply?.status} ${reply?.text.slice(0, 300)}`)
}
