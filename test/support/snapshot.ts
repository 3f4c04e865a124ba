import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'

/**
 * Compares a text with the snapshot in `test/snapshots/<name>`. With UPDATE=1 in the environment it
 * replaces the snapshot instead: check `git diff` before you commit.
 */
export function matchSnapshot(name: string, text: string): void {
  const file = join('test/snapshots', name)
  if (process.env.UPDATE === '1') {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return
  }

  const kept = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (kept === text) return

  const [before, now] = [kept.split('\n'), text.split('\n')]
  const line = now.findIndex((text, index) => text !== before[index])
  const at = line < 0 ? now.length : line
  const difference = `${file}:${at + 1} has\n  ${before[at] ?? '(its end)'}\nand now it is\n  ${now[at] ?? '(its end)'}`

  assert.unreachable(`${difference}\nIf that is meant: UPDATE=1 npm test -- ${name.split('.')[0]}`)
}
