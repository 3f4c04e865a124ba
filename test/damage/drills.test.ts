import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openSite, playDrill, type Site } from './drill.ts'

let site: Site

test.before(async () => {
  site = await openSite()
})
test.after(() => site.close())

test('a backup under load, restored elsewhere, is a moment of the original with all that was acknowledged before', async () => {
  const before = site.writers.writes.length
  while (site.writers.writes.length < before + 12) await new Promise(resolve => setTimeout(resolve, 10))
  const { writes, held, wrong } = await playDrill(site, 'first')
  assert.equal(wrong, [])
  assert.ok(held >= before && writes > held, `${held} of ${writes} writes are held`)
})

test.run()
