import { join } from 'node:path'
import Database from 'better-sqlite3'
import { putMember } from '../../src/store/people/organizations.ts'
import { insertUser } from '../../src/store/people/users.ts'
import { Store } from '../../src/store/store.ts'
import type { Stemma } from './stemma.ts'

/** Among how many people and pages the comments of a space are spread: every so many in turn. */
export const spread = { authors: 5, pages: 5 }

const at = '2026-01-01T00:00:00.000Z'

/** The id of an author, and of a page. */
export const authorAt = (n: number): string => `author-${n % spread.authors}`
export const pageAt = (n: number): string => `page-${n % spread.pages}`

/** Makes the members of the organization who write the comments, on a server that is not running. */
export function makeAuthors({ dataDir }: Pick<Stemma, 'dataDir'>): void {
  const store = new Store(join(dataDir, 'stemma.db'))
  try {
    store.transact(() => {
      for (let n = 0; n < spread.authors; n++) {
        insertUser(store, { id: authorAt(n), display_name: `Author ${n}`, email: null, created_at: at })
        putMember(store, 'default', authorAt(n), 'comment', at)
      }
    })
  } finally {
    store.close()
  }
}

/** Which comments of which space: from this number to below that. */
export type Fill = { spaceId: string; from: number; to: number }

/**
 * Writes comments into a database that no server holds: on pages and by authors in turn, two of three open, every tenth
 * with a reply and a reaction. The counters follow by the triggers of the schema, as they do when somebody comments.
 */
export function fillComments({ dataDir }: Pick<Stemma, 'dataDir'>, fills: readonly Fill[]): void {
  const database = new Database(join(dataDir, 'stemma.db'), { timeout: 5_000 })
  // Written once, and to the place where it stays: nothing of it is needed after a crash.
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
  const insertReactions = database.prepare(`INSERT INTO reaction (comment_id, emoji, user_id, reacted_at)
    SELECT id, '👍', posted_by, @at FROM comment WHERE seq > @last AND seq % 10 = 5`)
  const last = database.prepare('SELECT coalesce(max(seq), 0) FROM comment').pluck()
  try {
    database.transaction(() => {
      for (const fill of fills) {
        const before = last.get() as number
        insertComments.run({ ...fill, at, revision: '0'.repeat(40), words: 'Some words of it. '.repeat(6) })
        insertReplies.run({ at, last: before })
        insertReactions.run({ at, last: before })
      }
    })()
    database.pragma('journal_mode = WAL')
  } finally {
    database.close()
  }
}
