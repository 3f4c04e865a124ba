import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { petstore } from '../../api/openapi/host.ts'
import { startStemma } from '../../cli/stemma.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { openKillable } from '../../support/killable.ts'
import { isLongRun } from '../../support/long-run.ts'
import { until } from '../../support/until.ts'

const { dataDir, serve, end, running, remove } = await openKillable()

test.after(remove)

const path = '/v1/orgs/default/openapi/pets'

const points = ['W1', 'W3', 'W4', 'W5', 'W6'] as const

/** Checks that `stemma verify` finds nothing. */
const verified = async (point: string) => {
  const { ended } = startStemma(['verify'], { STEMMA_DATA: dataDir })
  assert.is((await ended).code, 0, point)
}

test('a server that is killed while it reads a spec reads it once after the restart', async () => {
  for (const [at, point] of points.entries()) {
    let admin = await serve({ STEMMA_CRASH_AT: point })
    await admin.put(path, { source: { text: petstore(`Pets ${at}`) } }).catch(() => undefined)
    await running()?.ended
    admin = await serve()
    const spec = await until('the spec is read', async () => {
      const { body } = await admin.get(path)
      return body.processingState === 'complete' ? body : undefined
    })

    assert.is(spec.lastProcessErrorCode, undefined, point)
    const { items } = (await admin.get(`${path}/versions`)).body

    assert.is(items.length, at + 1, point)
    assert.is(items[0].id, spec.lastVersion)
    assert.match((await admin.get(`${path}/versions/latest/content/raw`)).text, `Pets ${at}`)
    await end('SIGTERM')
    await verified(point)
  }
})

test('a server that is killed while it deletes a spec has deleted all of it after the restart', async () => {
  for (const point of points.slice(1)) {
    let admin = await serve()
    await admin.put(path, { source: { text: petstore(point) } })
    await until('the spec is read', async () =>
      (await admin.get(path)).body.processingState === 'complete' ? true : undefined,
    )
    await end('SIGTERM')
    admin = await serve({ STEMMA_CRASH_AT: point })
    await admin.delete(path).catch(() => undefined)
    await running()?.ended
    admin = await serve()
    assert.is((await admin.get(path)).status, 404, point)
    const repo = join(dataDir, 'specs', 'default.git')

    await until('the branch is gone', () =>
      gitOutside(repo, ['for-each-ref', 'refs/heads/pets.*']) === '' ? true : undefined,
    )
    await end('SIGTERM')
    await verified(point)
  }
})

test('all waiting texts are read, even if the server is killed after each of them', async () => {
  const several = '/v1/orgs/default/openapi/several'
  const titles = Array.from({ length: isLongRun ? 6 : 3 }, (_, at) => `Several ${at}`)
  let admin = await serve()
  for (const title of titles) await admin.put(several, { source: { text: petstore(title) } })
  await end('SIGKILL')

  for (let lives = 0; lives < titles.length; lives++) {
    admin = await serve({ STEMMA_CRASH_AT: 'W6' })
    const { ended } = running()!
    await until('the server is killed, or has read everything', () => {
      const look = admin
        .get(several)
        .then(({ body }) => body.processingState === 'complete' || undefined)
      return Promise.race([ended.then(() => true), look.catch(() => ended.then(() => true))])
    })
    await end('SIGKILL')
  }

  admin = await serve()
  const { body: spec } = await admin.get(several)

  assert.is(spec.processingState, 'complete')
  assert.is(spec.lastProcessErrorCode, undefined)
  const { items } = (await admin.get(`${several}/versions`)).body
  const texts = await Promise.all(
    items.map(({ id }: { id: string }) => admin.get(`${several}/versions/${id}/content/raw`)),
  )

  assert.equal(
    texts.map(({ text }) => /Several \d/.exec(text)?.[0]),
    titles.toReversed(),
  )
  await end('SIGTERM')
})

test.run()
