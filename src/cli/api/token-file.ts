import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The token of a server that "stemma login" saved. */
type SavedToken = {
  /** The address of the server, without a trailing slash. */
  server: string
  id: string
  token: string
  expiresAt: string
}

/** Returns the folder of the user's configuration: $XDG_CONFIG_HOME, or ~/.config. */
function folder(): string {
  const { XDG_CONFIG_HOME: configured = '' } = process.env
  return join(isAbsolute(configured) ? configured : join(homedir(), '.config'), 'stemma', 'tokens')
}

/**
 * Returns the file of the token of a server: named after its host, and after a digest of the whole
 * address.
 */
function fileOf(server: string): string {
  const digest = createHash('sha256').update(server).digest('hex').slice(0, 12)
  return join(folder(), `${new URL(server).hostname.replace(/[^\w.-]/g, '_')}-${digest}.json`)
}

/** Returns the saved token of a server; undefined if there is none, or its file cannot be used. */
export function readSavedToken(server: string): SavedToken | undefined {
  try {
    const saved = JSON.parse(readFileSync(fileOf(server), 'utf8')) as SavedToken
    return saved.server === server && typeof saved.token === 'string' ? saved : undefined
  } catch {
    return undefined
  }
}

/** Saves the token of a server in a file that only the user can read. */
export function saveToken(saved: SavedToken): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 })
  const file = fileOf(saved.server)
  const beside = `${file}.${randomBytes(6).toString('hex')}`

  try {
    writeFileSync(beside, `${JSON.stringify(saved, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(beside, file)
  } finally {
    rmSync(beside, { force: true })
  }
}

/** Deletes the saved token of a server. */
export const forgetToken = (server: string): void => rmSync(fileOf(server), { force: true })
