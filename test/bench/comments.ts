import { join } from 'node:path'
import Database from 'better-sqlite3'
import { putMember } from '../../src/store/people/organizations.ts'
import { insertUser } from '../../src/store/people/users.ts'
import { Store } from '../../src/store/store.ts'
import type { Stemma } from './stemma.ts'

/** The number of authors and pages over which the comments of a space are spread in turn. */
export const spread = { authors: 5, pages: 5 }

const at = '2026-01-01T00:00:00.000Z'

/** The ids of the author and of the page of comment `n`. */
export const authorAt = (n: number): string => `author-${n % spread.authors}`
export const pageAt = (n: number): string => `page-${n % spread.pages}`

/** Creates the members who write the comments, while the server is stopped. */
export function makeAuthors({ dataDir }: Pick<Stemma, 'dataDir'>): void {
  const store = new Store(join(dataDir, 'stemma.db'))
  try {
    store.transact(() => {
      for (let n = 0; n < spread.authors; n++) {
        insertUser(store, {
          id: authorAt(n),
          display_name: `Author ${n}`,
          email: null,
          created_at: at,
        })
        putMember(store, 'default', authorAt(n), 'comment', at)
      }
    })
  } finally {
    store.close()
  }
}

/** A range of comment numbers in a space: from `from` to below `to`. */
export type Fill = { spaceId: string; from: number; to: number }

/**
 * Writes comments directly into the database of a stopped server, on pages and by authors in turn:
 * two of three open, every tenth with a reply and a reaction. The schema's triggers update the
 * counters, as they do for regular comments.
 */
export function fillComments({ dataDir }: Pick<Stemma, 'dataDir'>, fills: readonly Fill[]): void {
  const database = new Database(join(dataDir, 'stemma.db'), { timeout: 5_000 })
  // Written once, directly to the final place; nothing has to survive a crash.
  for (const setting of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -400000'])
    database.pragma(setting)
  const numbers =
    'WITH RECURSIVE n (i) AS (VALUES (CAST(@from AS INTEGER)) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < @to)'
  const { authors, pages } = spread
  const author = `'author-' || (i / ${pages} % ${authors})`
  const insertComments = database.prepare(`${numbers}
    INSERT INTO comment (id, space_id, page_id, revision, body, posted_by, posted_at, status, resolved_at, resolved_by)
    SELECT lower(hex(randomblob(10))), @spaceId, 'page-' || (i % ${pages}), @revision,
      json_object('markdown', 'Comment ' || i || '. ' || @words), ${author}, @at,
      iif(i / ${pages * authors} % 3 = 0, 'resolved', 'open'), iif(i / ${pages * authors} % 3 = 0, @at, NULL),
      iif(i / ${pages * authors} % 3 = 0, 'author-0', NULL) FROM n`)

  const insertReplies = database.prepare(`INSERT INTO comment_reply
    (id, comment_id, space_id, body, posted_by, posted_at)
    SELECT lower(hex(randomblob(10))), id, space_id, body, posted_by, @at FROM comment
    WHERE seq > @last AND seq % 10 = 0`)
  const insertReactions =
    database.prepare(`INSERT INTO reaction (comment_id, emoji, user_id, reacted_at)
    SELECT id, '👍', posted_by, @at FROM comment WHERE seq > @last AND seq % 10 = 5`)
  const last = database.prepare('SELECT coalesce(max(seq), 0) FROM comment').pluck()

  try {
    database.transaction(() => {
      for (const fill of fills) {
        const before = last.get() as number
        insertComments.run({
          ...fill,
          at,
          revision: '0'.repeat(40),
          words: 'Some words of it. '.repeat(6),
        })
        insertReplies.run({ at, last: before })
        insertReactions.run({ at, last: before })
      }
    })()
    database.pragma('journal_mode = WAL')
  } finally {
    database.close()
  }
}
