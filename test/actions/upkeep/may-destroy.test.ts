import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { deliverWebhook } from '../../../src/actions/events/deliver-webhook.ts'
import { type Destruction, destructions } from '../../../src/actions/may-destroy.ts'
import { spaceFolder } from '../../../src/actions/repositories/space-repository.ts'
import { purgeSpace } from '../../../src/jobs/purge-space.ts'
import { tidy } from '../../../src/jobs/tidy.ts'
import { randomId } from '../../../src/lib/digest.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { cancelJob } from '../../../src/store/events/jobs.ts'
import { findWebhook, updateWebhook } from '../../../src/store/events/webhooks.ts'
import { recordFeedback } from '../../../src/store/sites/page-feedback.ts'
import { findSpace } from '../../../src/store/spaces/spaces.ts'
import { insertProvider } from '../../../src/store/sso/providers.ts'
import { query } from '../../../src/store/store.ts'
import { startApp } from '../../support/app.ts'
import { openReceiver } from '../../support/http/receiver.ts'
import { restart } from '../../support/restart.ts'
import { publishedSite } from '../../support/sites.ts'

const day = 86_400_000
const hour = 3_600_000
const { signal } = new AbortController()
const run = { signal, attempt: 1 }

const real = { wall: Date.now, steady: performance.now }
let ahead = 0
let up = 0
Date.now = () => real.wall() + ahead
performance.now = () => real.steady.call(performance) + up

const app = await startApp({ STEMMA_ALLOW_PRIVATE_REMOTES: 'true' })
const receiver = await openReceiver()
test.after(async () => {
  await receiver.stop()
  await app.stop()
  Date.now = real.wall
  performance.now = real.steady
})

const count = (
  table:
    | 'upload'
    | 'import_run'
    | 'site_event'
    | 'idempotency'
    | 'webhook_delivery'
    | 'sso_assertion'
    | 'page_feedback_reader',
) =>
  app.ctx.store.all(
    query.selectFrom(table as 'idempotency').select(({ fn }) => fn.countAll<number>().as('n')),
  )[0]?.n ?? 0

function makeProvider(): string {
  const at = '2026-01-01T00:00:00.000Z'
  const row = {
    organization_id: 'acme',
    kind: 'saml' as const,
    label: 'P',
    created_at: at,
    updated_at: at,
  }

  return insertProvider(app.ctx.store, { id: randomId(), ...row }).id
}

async function makeSpace(): Promise<string> {
  const made = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })
  assert.is(made.status, 201, made.text)
  return made.body.id
}

async function makeWebhook(): Promise<string> {
  const body = {
    url: receiver.url,
    events: ['space_updated'],
    secret: 'a secret of thirty-two characters',
  }
  const made = await app.admin.post('/v1/orgs/acme/webhooks', body)
  assert.is(made.status, 201, made.text)
  return made.body.id
}

/**
 * Creates what is destroyed at an age of eight or forty days. Returns how to destroy it and how to
 * see that it exists.
 */
const cases: Record<
  Destruction,
  () => Promise<{ destroy: () => Promise<unknown>; isThere: () => boolean }>
> = {
  'deleted spaces': async () => {
    const id = await makeSpace()
    await app.admin.delete(`/v1/spaces/${id}`)
    return {
      destroy: () => purgeSpace(app.ctx, { spaceId: id }, run),
      isThere: () =>
        findSpace(app.ctx.store, id) !== undefined && existsSync(spaceFolder(app.dataDir, id)),
    }
  },
  'kept answers': async () => {
    await app.admin.post('/v1/orgs/acme/spaces', { title: 'Once' }, { 'idempotency-key': 'once' })
    return { destroy: () => tidy(app.ctx, {}, run), isThere: () => count('idempotency') > 0 }
  },
  'expired sign-ins': async () => {
    const row = {
      provider_id: makeProvider(),
      assertion_id: 'once',
      expires_at: new Date(Date.now() + hour).toISOString(),
    }
    app.ctx.store.run(query.insertInto('sso_assertion').values(row))
    return { destroy: () => tidy(app.ctx, {}, run), isThere: () => count('sso_assertion') > 0 }
  },
  'unused uploads': async () => {
    await app.admin.post('/v1/orgs/acme/storage/upload', {
      file: { name: 'a.png', type: 'image/png', size: 1 },
      kind: 'import_file',
    })
    return { destroy: () => tidy(app.ctx, {}, run), isThere: () => count('upload') > 0 }
  },
  'import runs': async () => {
    const space = await makeSpace()
    const announced = await app.admin.post('/v1/orgs/acme/storage/upload', {
      file: { name: 'a.md', type: 'text/markdown', size: 3 },
      kind: 'import_file',
    })
    await fetch(announced.body.url, { method: 'PUT', body: '# A' })
    await app.admin.post('/v1/org/acme/imports', {
      source: { type: 'file', files: [announced.body.key] },
      target: { space },
    })
    return { destroy: () => tidy(app.ctx, {}, run), isThere: () => count('import_run') > 0 }
  },
  'events of sites': async () => {
    const site = await publishedSite(app, [await makeSpace()])
    const former = new Date(Date.now() - 380 * day).toISOString().slice(0, 10)
    app.ctx.store.run(
      query.insertInto('site_event').values({
        ...{ site_id: site.id, day: former, kind: 'page_view', site_space_id: '', page_id: 'p' },
        ...{ words: '', in_vain: 0, count: 1 },
      }),
    )
    return { destroy: () => tidy(app.ctx, {}, run), isThere: () => count('site_event') > 0 }
  },
  'digests of readers': async () => {
    const site = await publishedSite(app, [await makeSpace()])
    const space = app.ctx.store.get(
      query.selectFrom('site_space').select('id').where('site_id', '=', site.id),
    )
    recordFeedback(app.ctx.store, {
      ...{
        site_id: site.id,
        site_space_id: space?.id ?? '',
        page_id: 'page',
        revision: 'one' as Oid,
      },
      ...{ reader: 'a', day: new Date(Date.now()).toISOString().slice(0, 10), rating: 'yes' },
    })

    return {
      destroy: () => tidy(app.ctx, {}, run),
      isThere: () => count('page_feedback_reader') > 0,
    }
  },
  'webhook deliveries': async () => {
    const id = await makeWebhook()
    await app.admin.post(`/v1/orgs/acme/webhooks/${id}/ping`)
    return { destroy: () => tidy(app.ctx, {}, run), isThere: () => count('webhook_delivery') > 0 }
  },
  'lost repositories': async () => {
    const folder = join(app.dataDir, 'lost', `gone.git-${Date.now()}`)
    mkdirSync(folder, { recursive: true })
    return { destroy: () => restart(app.ctx), isThere: () => existsSync(folder) }
  },
  'failing webhooks': async () => {
    const id = await makeWebhook()
    receiver.answer = response => response.writeHead(500).end()
    updateWebhook(app.ctx.store, id, { failing_since: new Date(Date.now()).toISOString() })

    return {
      destroy: async () => {
        await app.admin.post(`/v1/orgs/acme/webhooks/${id}/ping`)
        await deliverWebhook(app.ctx, id, { signal })
      },
      isThere: () => findWebhook(app.ctx.store, id)?.active === 1,
    }
  },
}

for (const what of destructions)
  test(`${what} survive a clock jump for an hour of uptime`, async () => {
    const { destroy, isThere } = await cases[what]()
    await destroy()
    assert.ok(isThere(), 'destroyed before its time')
    ahead += 40 * day
    await destroy()
    assert.ok(isThere(), 'destroyed right after the jump')

    // A jump back counts as a jump too.
    ahead -= 41 * day
    await destroy()
    ahead += 41 * day
    up += hour - 60_000
    ahead += hour - 60_000
    await destroy()
    assert.ok(isThere(), 'destroyed within the hour')
    up += hour
    ahead += hour
    await destroy()
    assert.not(isThere(), 'not destroyed after the hour')
  })

test('after a clock jump a deleted space can still be restored, and a repeated request gets its first response', async () => {
  const id = await makeSpace()
  const again = () =>
    app.admin.post('/v1/orgs/acme/spaces', { title: 'Twice' }, { 'idempotency-key': 'twice' })
  const first = await again()
  await app.admin.delete(`/v1/spaces/${id}`)
  ahead += 8 * day

  // As if the worker had claimed the job.
  cancelJob(app.ctx.store, 'purge-space', id)
  await purgeSpace(app.ctx, { spaceId: id }, run)
  const job = app.ctx.store.get(
    query.selectFrom('job').selectAll().where('kind', '=', 'purge-space').where('key', '=', id),
  )

  assert.ok(job && job.run_at > Date.now() + hour - 120_000, 'the job runs again in an hour')
  assert.is((await app.admin.post(`/v1/spaces/${id}/restore`)).status, 200)
  assert.is((await again()).body.id, first.body.id)

  // A corrected clock is trusted at once.
  ahead -= 8 * day
  const made = await app.admin.post('/v1/user/tokens', { name: 'later' })

  assert.ok(Math.abs(Date.parse(made.body.createdAt) - Date.now()) < 60_000, made.body.createdAt)
})

test.run()
