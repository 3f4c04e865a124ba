import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import {
  addSection,
  done,
  type Json,
  makeSite,
  readingToken,
  type Site,
  spaces,
  withToken,
} from './tools.ts'

/** Throws unless a structure has one kind of items, with one default among siblings. */
function checkStructure({ type, structure }: Json): void {
  const siteSpaces: Json[] =
    type === 'siteSpaces'
      ? structure
      : structure.flatMap(sectionsOf).flatMap((each: Json) => each.siteSpaces)

  must(
    siteSpaces.every(({ section }) => (section !== undefined) === (type === 'sections')),
    'site spaces are at the root and in sections',
  )

  const lists: Json[][] =
    type === 'siteSpaces'
      ? [structure]
      : [
          structure.flatMap(sectionsOf),
          ...structure.flatMap(sectionsOf).map((each: Json) => each.siteSpaces),
        ]

  for (const list of lists) {
    const defaults = list.filter(each => each.default).length
    must(defaults === (list.length > 0 ? 1 : 0), `${defaults} defaults among ${list.length}`)
  }
}

const sectionsOf = (item: Json): Json[] =>
  item.object === 'site-section-group' ? item.children.flatMap(sectionsOf) : [item]

/** Deletes the default section again and again from eight clients, while a ninth reads. */
async function defaultsAtOnce(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  for (let place = 1; place <= 6; place++) await addSection(stage, site, place, `Section ${place}`)
  const structure = () => done(stage, `GET ${site.path}/structure`)
  let over = false
  const reading = (async () => {
    while (!over) checkStructure(await structure())
  })()
  const remove = async () => {
    for (;;) {
      const now = await structure()
      const last = now.structure.flatMap(
        now.type === 'sections' ? sectionsOf : (each: Json) => each,
      )
      const first = last.find((each: Json) => each.default)
      if (!first) return

      const list = now.type === 'sections' ? 'sections' : 'site-spaces'
      const { status } = await stage.call('DELETE', `${site.path}/${list}/${first.id}`)

      must(status === 204, `a deletion was answered ${status}`)
    }
  }

  await Promise.all(Array.from({ length: 8 }, remove))
  over = true
  await reading

  return stage.call('GET', `${site.path}/structure`)
}

/** Adds a section to a site with root spaces, while others add root spaces. */
async function convertAtOnce(stage: Stage): Promise<Seen> {
  for (let time = 0; time < 3; time++) {
    const site = await makeSite(stage)
    const ids = (await spaces(stage, 6)).slice(1)
    const seen = await Promise.all(
      ids.map((spaceId, at) =>
        stage.call('POST', `${site.path}/${at === 2 ? 'sections' : 'site-spaces'}`, {
          body: { spaceId },
        }),
      ),
    )

    must(
      seen.every(({ status }) => status === 201),
      `answered ${seen.map(({ status }) => status)}`,
    )
    const structure = await done(stage, `GET ${site.path}/structure`)

    checkStructure(structure)
    must(structure.type === 'sections', 'the site has no sections')
    must((await done(stage, `GET ${site.path}/site-spaces`)).count === 6, 'a space is missing')
  }
  return { status: 201, text: 'sections' }
}

/** Creates a site without content; returns its path in the API. */
const emptySite = async (stage: Stage): Promise<string> =>
  `/v1/orgs/acme/sites/${(await done(stage, 'POST /v1/orgs/acme/sites', { title: 'Empty' })).id}`

/** Lets eight clients apply templates to one empty site: one of them fills it. */
async function templatesAtOnce(stage: Stage): Promise<Seen> {
  const path = await emptySite(stage)
  const seen = await Promise.all(
    Array.from({ length: 8 }, () => stage.call('POST', `${path}/template`, {})),
  )
  const statuses = seen.map(({ status }) => status).sort()
  must(statuses.join(' ') === `200${' 409'.repeat(7)}`, `answered ${statuses}`)
  const structure = await done(stage, `GET ${path}/structure`)
  checkStructure(structure)
  must(structure.structure.length === 3, `${structure.structure.length} sections`)
  return { status: 200, text: 'three sections' }
}

/** Applies templates with these ids to an empty site, which must stay empty. */
const templatesNamed =
  (...templates: readonly string[]) =>
  async (stage: Stage): Promise<Seen> => {
    const path = await emptySite(stage)
    const seen = await stage.call('POST', `${path}/template`, { body: { templates } })
    must((await done(stage, `GET ${path}/site-spaces`)).count === 0, 'the site has a space')
    return seen
  }

let full: Promise<Site> | undefined

/** A site with 100 sections. */
function fullSite(stage: Stage): Promise<Site> {
  full ??= (async () => {
    const site = await makeSite(stage)
    await spaces(stage, 101)
    for (let place = 1; place <= 99; place++)
      await addSection(stage, site, place, `Section ${place}`)
    return site
  })()
  return full
}

async function oneSectionTooMany(stage: Stage): Promise<Seen> {
  const site = await fullSite(stage)
  const ids = await spaces(stage, 101)
  const seen = await stage.call('POST', `${site.path}/sections`, { body: { spaceId: ids[100] } })
  must((await done(stage, `GET ${site.path}/sections`)).count === 100, 'there are not 100 sections')
  return seen
}

/**
 * Every section has another condition that takes as many steps as one may; a reader gets the
 * structure all the same.
 */
async function dearConditions(stage: Stage): Promise<Seen> {
  const site = await fullSite(stage)
  await done(stage, `PATCH ${site.path}`, { adaptiveContent: { enabled: true } })
  const { items } = await done(stage, `GET ${site.path}/sections?limit=100`)
  const dear = (at: number) =>
    `[1,2,3,4,5,6,7,8,9].map(a => [1,2,3,4,5,6,7,8,9].map(b => [1,2,3,4,5,6,7,8,9].map(c => [1,2,3,4,5,6,7,8,9].map(d => a*b*c*d)))).length === 9 || ${at}`

  for (const [at, { id }] of items.slice(1).entries())
    await done(stage, `PATCH ${site.path}/sections/${id}`, { condition: dear(at) })
  const token = await readingToken(stage, site.base)

  return withToken(stage, token, `GET ${site.path}/structure`)
}

/** Structure changed by many clients at once, and as large as it may be. */
export const siteCrowdLines: Line[] = [
  line(
    'T5',
    'eight clients that delete the default section',
    200,
    'one default among siblings at every read',
    defaultsAtOnce,
  ),
  line(
    'T6',
    'a first section, while others add spaces to the root',
    201,
    'never both kinds',
    convertAtOnce,
  ),
  line(
    'T6',
    'eight clients that apply templates to an empty site',
    200,
    'one fills it',
    templatesAtOnce,
  ),
  ...['../templates/changelog', '/etc', '%2e%2e', '__proto__'].map(id =>
    line('J4', `a template ${id} for a site`, 404, /template/, templatesNamed('changelog', id)),
  ),
  line(
    'J4',
    '10,000 templates for a site',
    400,
    /10/,
    templatesNamed(...Array.from({ length: 10_000 }, (_, n) => `t${n}`)),
  ),
  line('T3', 'the 101st section', 409, /100/, oneSectionTooMany, { slow: true, mostMs: 240_000 }),
  line('SA2', '100 sections with the dearest condition', 200, /structure/, dearConditions, {
    slow: true,
    mostMs: 240_000,
  }),
]
