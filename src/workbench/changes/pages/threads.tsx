import type { ShownThread } from '../conversation/load.ts'
import { ThreadView } from '../conversation/thread.tsx'
import type { ShownPage } from './load.ts'

/** What the parts of a page of changes know: its path, and that of the change request. */
export type InPage = { shown: ShownPage; own: string; path: string; mayComment: boolean }

type ThreadsProps = {
  threads: readonly ShownThread[]
  path: string
  back: string
  mayReply: boolean
}

/** Returns threads one below the other. */
export const Threads = ({ threads, ...place }: ThreadsProps) => (
  <>
    {threads.map(thread => (
      <ThreadView thread={thread} {...place} />
    ))}
  </>
)
