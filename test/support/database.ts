import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Store } from '../../src/store/store.ts'

let empty: Buffer | undefined

function makeEmpty(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'stemma-empty-'))
  const file = join(folder, 'stemma.db')
  const store = new Store(file)
  store.checkpoint()
  store.close()
  const bytes = readFileSync(file)
  rmSync(folder, { recursive: true })
  return bytes
}

/**
 * Puts an empty database into a new data folder. Its migrations are most of the cost of a server's
 * first start.
 */
export function putDatabase(dataDir: string): void {
  empty ??= makeEmpty()
  writeFileSync(join(dataDir, 'stemma.db'), empty, { mode: 0o600 })
}
