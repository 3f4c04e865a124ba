import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readCoverage } from '../../../src/actions/print/font-coverage.ts'
import { printingFile } from '../../../src/content/print/packages.ts'
import { skip } from '../../support/skip.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-fonts-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))

test('a font reports its characters', async () => {
  const path = printingFile('@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf')
  if (path === undefined) return skip('the fonts of printing/ are not installed')

  const covers = await readCoverage(path)

  for (const character of 'a你好カ') assert.ok(covers(character.codePointAt(0)!), character)
  for (const character of 'ไ😀ནོ') assert.not(covers(character.codePointAt(0)!), character)
})

test('a broken font, or a file that is not a font, has no characters', async () => {
  const files = [
    Buffer.alloc(0),
    Buffer.from('hello'),
    Buffer.alloc(64, 0xff),
    Buffer.concat([Buffer.from('ttcf'), Buffer.alloc(12, 0x7f)]),
  ]
  for (const [i, bytes] of files.entries()) {
    writeFileSync(join(folder, `${i}.ttf`), bytes)
    assert.not((await readCoverage(join(folder, `${i}.ttf`)))(0x61))
  }
})

test.run()
