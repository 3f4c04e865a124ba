import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A private key with its certificate, both in PEM. */
export type KeyPair = { key: string; certificate: string }

const made = new Map<string, KeyPair>()

/**
 * Returns a new key pair with a self-signed certificate; the same for the same name and kind in one
 * process.
 */
export function keyPair(
  name: string,
  { kind = 'rsa:2048', days = 30 }: { kind?: 'rsa:2048' | 'rsa:1024' | 'ec'; days?: number } = {},
): KeyPair {
  const id = `${name} ${kind} ${days}`
  const known = made.get(id)
  if (known) return known

  const folder = mkdtempSync(join(tmpdir(), 'stemma-key-'))
  const [keyFile, certificateFile] = [join(folder, 'key'), join(folder, 'certificate')]
  const newKey = kind === 'ec' ? ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'] : [kind]
  const files = ['-keyout', keyFile, '-out', certificateFile]
  const rest = ['-nodes', '-days', String(days), '-subj', `/CN=${name}`]

  try {
    execFileSync('openssl', ['req', '-x509', '-newkey', ...newKey, ...files, ...rest], {
      stdio: 'pipe',
    })
    const pair = {
      key: readFileSync(keyFile, 'utf8'),
      certificate: readFileSync(certificateFile, 'utf8'),
    }

    made.set(id, pair)

    return pair
  } finally {
    rmSync(folder, { recursive: true })
  }
}
