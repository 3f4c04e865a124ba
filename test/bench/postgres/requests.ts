import { type Change, merge, openChanged } from '../editing.ts'
import type { Space } from '../space.ts'
import type { Stemma } from '../stemma.ts'

/** The requests that are measured, of a space of one server. Each returns its milliseconds. */
export type Requests = {
  /** Edits a page, after another write to the space. */
  edit: (time: number, status?: readonly number[]) => Promise<number>
  comment: (time: number) => Promise<number>
  /** Merges a change request that `prepare` has made. */
  merge: () => Promise<number>
  /** Reads a page after a write to its space. */
  firstRead: (time: number) => Promise<number>
  /** Makes change requests to merge. */
  prepare: (count: number) => Promise<void>
}

export function requestsOf(stemma: Stemma, space: Space): Requests {
  const { caller } = stemma
  const changes: Change[] = []
  const pageAt = (time: number) => space.pages[(time * 7) % space.pages.length]!
  const post = (path: string, body: unknown, status: number | readonly number[]) =>
    caller.call('POST', `${space.path}${path}`, { body, status })
  const comment = async (time: number) =>
    (await post('/comments', { page: pageAt(time).id, body: { markdown: `Hm ${time}.` } }, 200)).ms

  return {
    edit: async (time, status = [200]) => {
      const document = { markdown: `# Page\n\nEdited ${time} at ${performance.now()}.\n` }
      const changes = [{ operation: 'update_page', page: pageAt(time).id, document }]
      return (await post('/content', { changes }, status)).ms
    },
    comment,
    merge: async () => merge(stemma, changes.pop()!),
    firstRead: async time => {
      await comment(time)
      return (await caller.call('GET', `${space.path}/content/page/${pageAt(time).id}`)).ms
    },
    async prepare(count) {
      for (let n = 0; n < count; n++)
        changes.push(await openChanged(stemma, space, space.pages[n % space.pages.length]!))
    },
  }
}
