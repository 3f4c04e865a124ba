import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { insertOrganization, putMember } from '../../src/store/people/organizations.ts'
import { actor, type Reply, startApp } from '../support/app.ts'
import { makeSpace } from '../support/corpus/corpus.ts'

const app = await startApp()
const { admin, anonymous } = app
test.after(() => app.stop())

const reader = app.user('Rosa', 'read')
const editor = app.user('Eve', 'edit')
const reviewer = app.user('Rex', 'review')
insertOrganization(app.ctx.store, {
  id: 'beta',
  title: 'Beta',
  created_at: '2026-01-01T00:00:00.000Z',
})
putMember(app.ctx.store, 'beta', admin.id, 'admin', '2026-01-01T00:00:00.000Z')

const broken = '---\ntitle: [\n---\n\n# Broken\n'
const { api, space } = await makeSpace(app, {
  'README.md': '# Home\n\nOne.\n',
  'page.md': '# Page\n',
  'broken.md': broken,
})
const { api: locked, space: lockedSpace } = await makeSpace(app, {}, 'Locked')
const { api: ruled, space: ruledSpace } = await makeSpace(app, {}, 'Ruled')
const { api: gone } = await makeSpace(app, {}, 'Gone')

type Body = Reply['body']
const made = async (reply: Promise<Reply>): Promise<Body> => {
  const { status, text, body } = await reply
  assert.ok(status < 300, text)
  return body
}

const { pages } = await made(admin.get(`${api}/content/pages`))
const pageAt = (path: string): string =>
  pages.find((page: { git?: { path: string } }) => page.git?.path === path).id
const rewrite = (page: string, markdown: string) => ({
  operation: 'update_page',
  page,
  document: { markdown },
})

/** Opens a change request as the editor, with a change of the first page. */
async function proposed(base: string, words: string): Promise<string> {
  const { number } = await made(editor.post(`${base}/change-requests`, { subject: words }))
  const path = `${base}/change-requests/${number}`
  const { pages: own } = await made(editor.get(`${path}/content/pages`))
  await made(
    editor.post(`${path}/content`, { changes: [rewrite(own[0].id, `# Home\n\n${words}\n`)] }),
  )
  return path
}

const merged = await proposed(api, 'Merged')
await made(admin.post(`${merged}/merge`))
const archived = await proposed(api, 'Archived')
await made(editor.patch(archived, { status: 'archived' }))
const open = await proposed(api, 'Open')
const { revision: before } = await made(editor.get(open))
await made(
  editor.post(`${open}/content`, { changes: [rewrite(pageAt('page.md'), '# Page\n\nNew.\n')] }),
)
const conflicting = await proposed(api, 'Mine')
const { revision: base } = await made(admin.get(api))
await made(
  admin.post(`${api}/content`, { changes: [rewrite(pageAt('README.md'), '# Home\n\nTheirs.\n')] }),
)
const { number: ownNumber } = await made(admin.post(`${api}/change-requests`, { subject: 'Own' }))
const own = `${api}/change-requests/${ownNumber}`
const { revision: head } = await made(admin.get(api))
const unmet = await proposed(ruled, 'Unmet')

await made(admin.patch(`/v1/spaces/${lockedSpace.id}`, { editMode: 'locked' }))
await made(
  admin.patch(`/v1/spaces/${ruledSpace.id}`, {
    mergeRules: { type: 'rules', rules: [{ rule: 'require_at_least_one_review' }] },
  }),
)
await made(admin.delete(gone))

await made(admin.patch('/v1/orgs/acme', { inviteLinks: false }))
const outer = await made(admin.post('/v1/orgs/acme/collections', { title: 'Outer' }))
const inner = await made(
  admin.post('/v1/orgs/acme/collections', { title: 'Inner', parent: outer.id }),
)
const site = await made(admin.post('/v1/orgs/acme/sites', { spaces: [space.id] }))
const sites = '/v1/orgs/acme/sites'
await made(
  admin.post(`${sites}/${site.id}/redirects`, {
    source: '/old',
    destination: { kind: 'external', url: 'https://example.org/' },
  }),
)
const spec = {
  slug: 'pets',
  source: { text: '{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"paths":{}}' },
}
await made(admin.post('/v1/orgs/acme/openapi', spec))
const narrow = await made(
  editor.post('/v1/user/tokens', { name: 'narrow', scopes: ['content:read', 'tokens:admin'] }),
)
const byNarrow = actor(app.url, editor.id, narrow.token ?? narrow.secret)
const teams = '/v1/orgs/acme/teams'
const { id: team } = await made(admin.put(teams, { title: 'Writers' }))
const key = { 'idempotency-key': 'once' }
await made(admin.post('/v1/orgs/acme/collections', { title: 'Keyed' }, key))
const webhooks = '/v1/orgs/acme/webhooks'
const change = (by: typeof admin, change: object, path = api) =>
  by.post(`${path}/content`, { changes: [change] })

/** What is refused, by the reason that the answer has. */
const refusals: Readonly<Record<string, () => Promise<Reply>>> = {
  token_required: () => anonymous.get(api),
  token_unusable: () => actor(app.url, '', 'nonsense').get(api),
  unknown_operation: () => admin.get('/v1/nowhere'),
  method_not_allowed: () => admin.delete('/v1/orgs/acme/spaces'),
  not_found: () => admin.get('/v1/spaces/nowhere'),
  space_deleted: () => admin.patch(gone, { title: 'Back' }),
  never_synced: () => admin.get(`${api}/git/info`),
  invalid_input: () => admin.patch(api, { title: 7 }),
  malformed_request: () => admin.request('PATCH', api, '{'),
  unsupported_media_type: () =>
    admin.request('PATCH', api, 'title', { 'content-type': 'text/plain' }),
  too_large: () => admin.request('PATCH', api, JSON.stringify({ title: 'a'.repeat(3_000_000) })),
  invalid_page_token: () => admin.get('/v1/orgs/acme/spaces?page=nonsense'),
  not_a_member: () => admin.put(`${teams}/${team}/members`, { add: ['nobody'] }),
  role_required: () => reader.patch(api, { title: 'Mine' }),
  author_required: () => reader.patch(`/v1/users/${editor.id}`, { displayName: 'Eva' }),
  scope_required: () => change(byNarrow, rewrite(pageAt('page.md'), '# Page\n')),
  beyond_your_rights: () =>
    byNarrow.post('/v1/user/tokens', { name: 'more', scopes: ['content:write'] }),
  space_locked: () => change(editor, { operation: 'insert_page', title: 'New' }, locked),
  change_request_required: () => change(editor, { operation: 'insert_page', title: 'New' }, ruled),
  own_change_request: () => admin.post(`${own}/reviews`, { status: 'approved' }),
  remote_not_allowed: () =>
    admin.post(`${api}/git/import`, {
      url: 'https://127.0.0.1/guide.git',
      ref: 'refs/heads/main',
    }),
  already_merged: () => admin.post(`${merged}/merge`),
  change_request_archived: () => admin.post(`${archived}/merge`),
  not_merged: () => editor.post(`${open}/revert`),
  nothing_to_revert: () => admin.post(`${api}/content/revert`, { revision: head }),
  stale_revision: () => reviewer.post(`${open}/reviews`, { status: 'approved', revision: before }),
  precondition_failed: () =>
    admin.request('PATCH', api, { title: 'Other' }, { 'if-match': '"other"' }),
  merge_rules_unmet: () => admin.post(`${unmet}/merge`),
  merge_conflict: () => admin.post(`${conflicting}/merge?conflict=409`),
  resolution_mismatch: () =>
    editor.post(`${conflicting}/update`, { resolutions: [{ path: 'page.md', take: 'ours' }] }),
  edit_conflict: () =>
    change(admin, { ...rewrite(pageAt('README.md'), '# Mine\n'), baseRevision: base }),
  content_not_editable: () =>
    change(admin, { operation: 'update_page', page: pageAt('broken.md'), description: 'Mended' }),
  path_in_use: () =>
    admin.post(`${sites}/${site.id}/redirects`, {
      source: '/old',
      destination: { kind: 'external', url: 'https://example.org/' },
    }),
  upload_not_found: () =>
    change(admin, {
      operation: 'insert_files',
      files: [{ name: 'b.png', upload: 'a'.repeat(20) }],
    }),
  name_in_use: () => admin.post('/v1/orgs/acme/openapi', spec),
  host_not_assigned: () => admin.patch(`${sites}/${site.id}`, { hostname: 'docs.example.org' }),
  already_on_site: () => admin.post(`${sites}/${site.id}/site-spaces`, { spaceId: space.id }),
  already_there: () => admin.post(`${api}/transfer`, { organization: 'acme' }),
  not_on_site: () => admin.post(`${unmet}/preview-links`, {}),
  not_empty: () => admin.delete(`/v1/collections/${outer.id}`),
  inside_itself: () => admin.post(`/v1/collections/${outer.id}/move`, { parent: inner.id }),
  last_admin: () => admin.patch(`/v1/orgs/acme/members/${admin.id}`, { role: 'read' }),
  provider_needed: () => admin.patch('/v1/orgs/acme', { sso: true }),
  feature_off: () => admin.post('/v1/orgs/acme/link-invites', { role: 'read' }),
  invite_unusable: () => reader.post('/v1/orgs/acme/invites/nowhere'),
  address_not_allowed: () =>
    admin.post(webhooks, { url: 'https://127.0.0.1/hook', secret: 's'.repeat(40), events: ['*'] }),
  key_reused: () => admin.post('/v1/orgs/acme/collections', { title: 'Another' }, key),
}

test('refusals over HTTP have their reasons', async () => {
  const wrong: string[] = []
  for (const [reason, refused] of Object.entries(refusals)) {
    const { status, body, text } = await refused()
    if (status < 400 || body?.error?.reason !== reason)
      wrong.push(`${reason}: ${status} ${text.slice(0, 300)}`)
  }
  assert.is(wrong.join('\n'), '')
  assert.ok(Object.keys(refusals).length >= 40)
})

test.run()
