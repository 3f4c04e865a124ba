import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openSite, playDrill, type Site } from './drill.ts'

let site: Site

test.before(async () => {
  site = await openSite()
})
test.after(() => site.close())

test('a backup under load restores to one moment of the original with every write acknowledged before it', async () => {
  const before = site.writers.writes.length
  while (site.writers.writes.length < before + 12)
    await new Promise(resolve => setTimeout(resolve, 10))
  const { writes, held, wrong } = await playDrill(site, 'first')
  assert.equal(wrong, [])
  assert.ok(held >= before && writes > held, `${held} of ${writes} writes are in the copy`)
})

test.run()
