import pg from 'pg'
import { copyToSqlite } from '../../../src/store/engine/moving/copy.ts'
import { openSource } from '../../../src/store/engine/moving/moving-database.ts'

/** The database that holds the rows of servers, read and changed from outside. */
export type SharedRows = {
  url: string
  /** Copies all rows to a new file of SQLite, as of one moment. */
  copyTo: (file: string) => Promise<void>
  /** Runs a statement. Returns the rows; integers that may be large are texts. */
  run: <Row>(text: string) => Promise<Row[]>
}

export const sharedRows = (url: string): SharedRows => ({
  url,
  async copyTo(file) {
    const source = await openSource(url)
    try {
      await copyToSqlite(source, file)
    } finally {
      source.drop()
    }
  },
  async run(text) {
    const client = new pg.Client(url)
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  },
})
