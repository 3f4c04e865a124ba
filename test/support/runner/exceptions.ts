import { existsSync, readFileSync } from 'node:fs'

/** Tests of a file that fail on PostgreSQL, how many, and why. */
type Exception = { count: number; reason: string }

const table = 'test/postgres/exceptions.txt'

function readExceptions(): Map<string, Exception> {
  if (process.env.TEST_DATABASE !== 'postgres') return new Map()
  const lines = readFileSync(table, 'utf8').split('\n')
  const rows = lines.filter(line => line !== '' && !line.startsWith('#'))
  return new Map(
    rows.map(line => {
      const [, file = '', count, reason = ''] = /^(\S+) (\d+) (.+)$/.exec(line) ?? []
      if (!existsSync(file)) throw new Error(`${table}: ${line}`)
      return [file, { count: Number(count), reason }]
    }),
  )
}

const exceptions = readExceptions()

/**
 * Returns why just as many tests of a file failed as are known to fail on PostgreSQL; undefined:
 * they should not have.
 */
export function knownFailure(file: string, failed: number): string | undefined {
  const known = exceptions.get(file)
  return known?.count === failed ? known.reason : undefined
}
