import type { Stage } from './stage.ts'

const picture = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64')

/**
 * Prepares the targets of the lines: in each organization a space with a page, a file, a change
 * request, discussions and permissions.
 */
export async function prepare(stage: Stage): Promise<void> {
  const json = async (as: string, method: string, path: string, body?: unknown) => {
    const { status, text } = await stage.call(method, path, { as, body })
    if (Number(status) >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return JSON.parse(text)
  }

  const fill = async (as: string, organization: string) => {
    const space = await json(as, 'POST', `/v1/orgs/${organization}/spaces`, { title: 'Handbook' })
    await json(as, 'POST', `/v1/spaces/${space.id}/content`, {
      changes: [
        { operation: 'insert_page', title: 'Guide', document: { markdown: '# Guide\n\nWords.\n' } },
        {
          operation: 'insert_files',
          files: [{ name: 'a.png', contentType: 'image/png', base64: picture }],
        },
      ],
    })
    const pages = await json(as, 'GET', `/v1/spaces/${space.id}/content/pages`)
    const files = await json(as, 'GET', `/v1/spaces/${space.id}/content/files`)
    const content = await json(as, 'GET', `/v1/spaces/${space.id}/content`)
    const request = await json(as, 'POST', `/v1/spaces/${space.id}/change-requests`, {
      subject: 'One',
    })
    const collection = await json(as, 'POST', `/v1/orgs/${organization}/collections`, {
      title: 'Shelf',
    })

    return {
      space: space.id,
      page: pages.pages.at(-1).id,
      file: files.items[0].id,
      download: files.items[0].downloadURL,
      revision: content.id,
      changeRequest: request.id,
      collection: collection.id,
      ...(await publish(json, as, `/v1/orgs/${organization}`, space.id)),
      ...(await meet(json, as, `/v1/orgs/${organization}`, `/v1/spaces/${space.id}`, request.id)),
    }
  }
  const [own, foreign] = [await fill('admin', 'acme'), await fill('stranger', 'globex')]
  Object.assign(stage.ids, own)
  const role = { role: 'edit', users: ['editor'] }

  await stage.call('POST', `/v1/spaces/${own.space}/permissions`, { body: role })
  for (const [name, id] of Object.entries(foreign)) stage.ids[`foreign_${name}`] = String(id)
  const { items } = await json('admin', 'GET', '/v1/user/tokens')

  stage.ids.token = items[0].id
}

type Json = (
  as: string,
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ id: string; items: { id: string }[] }>

/** Creates the content of an organization and one of its spaces; returns the ids. */
async function meet(
  json: Json,
  as: string,
  organization: string,
  space: string,
  changeRequest: string,
): Promise<Record<string, string>> {
  const post = async (path: string, body: unknown) => (await json(as, 'POST', path, body)).id
  const said = { body: { markdown: 'Well said.' } }
  const comment = await post(`${space}/comments`, said)
  const team = await json(as, 'PUT', `${organization}/teams`, { title: 'Team' })

  // No server listens there: nothing is ever delivered.
  const hook = {
    url: 'http://127.0.0.1:2/',
    events: ['space_gitsync_started'],
    secret: 'x'.repeat(16),
  }
  const webhook = await post(`${organization}/webhooks`, hook)
  const [event] = (await json(as, 'GET', `${organization}/audit-events`)).items

  return {
    comment,
    reply: await post(`${space}/comments/${comment}/replies`, said),
    team: team.id,
    webhook,
    delivery: await post(`${organization}/webhooks/${webhook}/ping`, undefined),
    event: event?.id ?? '',
    invite: await post(`${organization}/link-invites`, { role: 'read' }),
    review: await post(`${space}/change-requests/${changeRequest}/reviews`, {
      status: 'changes-requested',
    }),
  }
}

/** Creates a site of an organization that shows a space; returns the ids. */
async function publish(
  json: Json,
  as: string,
  organization: string,
  space: string,
): Promise<Record<string, string>> {
  const { id: site } = await json(as, 'POST', `${organization}/sites`, { title: 'Site' })
  const path = `${organization}/sites/${site}`
  const post = async (list: string, body: unknown) =>
    (await json(as, 'POST', `${path}/${list}`, body)).id
  const siteSection = await post('sections', { spaceId: space })
  const [siteSpace] = (await json(as, 'GET', `${path}/site-spaces`)).items
  const destination = { kind: 'site-section', siteSectionId: siteSection }

  return {
    site,
    siteSection,
    siteSpace: siteSpace?.id ?? '',
    siteSectionGroup: await post('section-groups', { title: 'Group' }),
    siteExternalLink: await post('external-links', { title: 'Blog', url: 'https://example.org/' }),
    shareLink: await post('share-links', { name: 'Link' }),
    siteRedirect: await post('redirects', { source: '/old', destination }),
  }
}
