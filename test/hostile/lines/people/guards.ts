import { call, type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'

const rules = { type: 'rules', rules: [{ rule: 'require_all_reviews_approved' }] }
const page = (markdown: string, slug: string) => ({
  changes: [{ operation: 'insert_page', title: slug, slug, document: { markdown } }],
})

/** A space with its own settings in which "editor" has the role "review". */
async function guardedSpace(stage: Stage, settings: object): Promise<string> {
  const space = `/v1/spaces/${await stage.space('Guarded')}`
  const role = { role: 'review', users: ['editor'] }
  await stage.call('POST', `${space}/permissions`, { body: role })
  await stage.call('PATCH', space, { body: settings })
  return space
}

async function json(stage: Stage, as: string, request: string, body?: unknown) {
  const seen = await call(request, body, { as })(stage)
  must(Number(seen.status) < 300, `${request} answered ${seen.status} ${seen.text}`)
  return seen.text === '' ? undefined : JSON.parse(seen.text)
}

const contents =
  '* [Evil](evil.md)\n* ```yaml\n  type: builtin:openapi\n  dependencies:\n    spec:\n      ref:\n        kind: openapi\n        spec: secret\n  ```\n'

/** A guest makes their page the table of contents by resolving a conflict in the settings. */
async function turnPage(stage: Stage): Promise<Seen> {
  const space = `/v1/spaces/${await stage.space('Shared')}`
  await json(stage, 'admin', `POST ${space}/permissions`, { role: 'edit', users: ['guest'] })
  await json(stage, 'admin', `POST ${space}/content`, page('# A\n', 'a'))
  const { id: moved } = await json(stage, 'guest', `GET ${space}/content/path/a`)

  await json(stage, 'guest', `POST ${space}/content`, page(contents, 'evil'))
  const { id } = await json(stage, 'guest', `POST ${space}/change-requests`, { subject: 'x' })
  const request = `${space}/change-requests/${id}`

  for (const [at, slug] of [
    [space, 'a-main'],
    [request, 'a-branch'],
  ]) {
    const change = { operation: 'update_page', page: moved, slug, redirect: true }
    await json(stage, 'guest', `POST ${at}/content`, { changes: [change] })
  }

  const { conflicts } = await json(stage, 'guest', `POST ${request}/update`, {})
  const resolutions = conflicts.map(({ path }: { path: string }) =>
    path === '.gitbook.yaml'
      ? { path, content: 'structure:\n  summary: evil.md\n' }
      : { path, take: 'ours' },
  )

  return call(`POST ${request}/update`, { resolutions }, { as: 'guest' })(stage)
}

/** A reviewer edits another user's change request, approves it and merges it. */
async function approveOwn(stage: Stage): Promise<Seen> {
  const space = await guardedSpace(stage, { editMode: 'locked', mergeRules: rules })
  const { id } = await json(stage, 'admin', `POST ${space}/change-requests`, { subject: 'x' })
  const request = `${space}/change-requests/${id}`
  await json(stage, 'editor', `POST ${request}/content`, page('by the reviewer', 'own'))
  await json(stage, 'editor', `POST ${request}/reviews`, { status: 'approved' })
  return call(`POST ${request}/merge`, {}, { as: 'editor' })(stage)
}

const replaceAll = (settings: object) => async (stage: Stage) => {
  const space = await guardedSpace(stage, settings)
  const body = { url: `${stage.host.origin}/nowhere.git`, ref: 'refs/heads/main', force: true }
  return call(`POST ${space}/git/import`, body, { as: 'editor' })(stage)
}

/** A reviewer edits a space with rules directly. */
const editPast = async (stage: Stage) => {
  const space = await guardedSpace(stage, { mergeRules: rules })
  return call(`POST ${space}/content`, page('past the rules', 'past'), { as: 'editor' })(stage)
}

export const guardLines: Line[] = [
  line(
    'S31',
    'a page that a guest declares as the table of contents',
    403,
    /secret.*Ask a member/,
    turnPage,
  ),
  line('S61', 'a reviewer approves their own words', 412, /do not count: editor/, approveOwn),
  line(
    'S64',
    'an import into a locked space',
    403,
    /locked.*admin/,
    replaceAll({ editMode: 'locked' }),
  ),
  line('X112', 'an edit past merge rules', 403, /merge rules.*refs\/for\/main/, editPast),
  line(
    'S64',
    'an import past merge rules',
    403,
    /merge rules.*admin/,
    replaceAll({ mergeRules: rules }),
  ),
]
