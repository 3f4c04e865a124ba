import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { sealedColumns } from '../../src/store/sealed.ts'

/** Returns the purpose that the texts of a column are sealed for. */
export function purposeOf(table: string, column: string): string {
  const found = sealedColumns.find(([name, held]) => name === table && held === column)
  if (!found) throw new Error(`${table}.${column} is not sealed`)
  return found[2]
}

/** Returns a text as the first version sealed it: without a purpose. */
export function firstSealed(secret: Uint8Array, text: string): string {
  const nonce = randomBytes(12)
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'stemma seal', 32))
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
}
