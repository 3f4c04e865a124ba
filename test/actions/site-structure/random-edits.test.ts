import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { moveItem } from '../../../src/actions/sites/structure/move-item.ts'
import {
  addSectionGroup,
  addToGroup,
  removeSectionGroup,
  takeFromGroup,
} from '../../../src/actions/sites/structure/section-groups.ts'
import {
  addSection,
  changeSection,
  removeSection,
} from '../../../src/actions/sites/structure/sections.ts'
import {
  addSiteSpace,
  changeSiteSpace,
  removeSiteSpace,
} from '../../../src/actions/sites/structure/site-spaces.ts'
import {
  groupOf,
  type StructureEdit,
  type StructureItem,
  sectionOf,
  siteSpaceOf,
} from '../../../src/actions/sites/structure/structure-edit.ts'
import { viewSite } from '../../../src/actions/sites/view-site.ts'
import { Fault } from '../../../src/errors.ts'
import { randomId } from '../../../src/lib/digest.ts'
import { findAlias } from '../../../src/store/sites/aliases.ts'
import { findSite, insertSite } from '../../../src/store/sites/sites.ts'
import { readStructure } from '../../../src/store/sites/structure.ts'
import { findSpace, insertSpace, updateSpace } from '../../../src/store/spaces/spaces.ts'
import { query } from '../../../src/store/store.ts'
import type { SiteRow, SpaceRow } from '../../../src/store/tables/rows.ts'
import { startApp } from '../../support/app.ts'
import { isLongRun } from '../../support/long-run.ts'
import { Model } from './model.ts'
import { resolveAddress } from './resolve.ts'

const app = await startApp()
const { ctx } = app
test.after(() => app.stop())

const at = '2026-01-01T00:00:00.000Z'
const names = ['aa', 'bb', 'cc', 'dd', 'ee']
const editsInRun = 40
const runs = isLongRun ? 250 : 10

let position = 0
const newSpace = (title: string): SpaceRow =>
  insertSpace(ctx.store, {
    id: randomId(),
    organization_id: 'acme',
    title,
    position: ++position,
    created_at: at,
    updated_at: at,
  })

/** Numbers that choose what an edit does, and to which items. */
type Choice = readonly [what: number, a: number, b: number, c: number]

/** A site with its model, and every path that an item of it ever had. */
class Run {
  readonly model = new Model()
  readonly siteId: string
  readonly paths = new Map<string, { scope: string; path: string; id: string }>()
  readonly addresses = new Set<string>()

  constructor() {
    const id = randomId()
    this.siteId = id
    insertSite(ctx.store, {
      id,
      organization_id: 'acme',
      title: 'aa',
      basename: id,
      created_at: at,
      updated_at: at,
    })
  }

  get site(): SiteRow {
    return findSite(ctx.store, this.siteId) as SiteRow
  }

  get rows() {
    return readStructure(ctx.store, this.siteId)
  }

  view = () => viewSite(ctx, this.site, { sees: () => true, seesEmpty: true })

  isLive = (siteSpaceId: string): boolean => {
    const row = this.rows.siteSpaces.find(({ id }) => id === siteSpaceId)
    return row !== undefined && findSpace(ctx.store, row.space_id)?.deleted_at === null
  }

  /** Runs an edit; returns its result, or the kind of its fault as `refused`. */
  edit<Result>(work: (edit: StructureEdit) => Result): { result: Result } | { refused: string } {
    try {
      const by = { userId: app.admin.id, origin: null }
      return {
        result: ctx.store.transact(() => work({ ctx, site: this.site, by, view: this.view })),
      }
    } catch (error) {
      if (error instanceof Fault) return { refused: error.kind }
      throw error
    }
  }

  /** Runs an edit that has to succeed. */
  must<Result>(work: (edit: StructureEdit) => Result): Result {
    const done = this.edit(work)
    if ('refused' in done) throw new Error(`An edit was refused: ${done.refused}`)
    return done.result
  }

  /** Converts the model if the rows were converted. */
  follow(): void {
    const rootSpaces = this.model.lists.get('')?.some(({ type }) => type === 'site-space')
    const [section] = this.view().sections
    if (rootSpaces && section) this.model.convert(section.row.id)
  }

  check(): void {
    const { groups, sections, siteSpaces } = this.rows
    this.model.settle(this.isLive)
    assert.is(this.textOfRows(), this.model.text())
    assert.not(
      siteSpaces.some(row => row.section_id === null) && sections.length + groups.length > 0,
    )
    const byId = new Map(groups.map(row => [row.id, row]))

    for (const { id, parent_id } of groups)
      if (parent_id !== null)
        assert.is(byId.get(parent_id)?.parent_id, null, `${id} is on a third level`)
    this.checkDefaults()
    this.checkPaths()
  }

  /** The view shows one default among siblings whenever there is one that is live. */
  checkDefaults(): void {
    const { root, sections } = this.view()
    const lists = [
      ...sections.map(each => each.siteSpaces),
      ...(root.type === 'sections' ? [sections] : [root.items]),
    ]
    for (const list of lists)
      assert.is(list.filter(({ isDefault }) => isDefault).length, Math.min(1, list.length))
  }

  /**
   * Every path that ever was is one now, or an alias, unless its last owner or the section around
   * it is gone.
   */
  checkPaths(): void {
    const { sections, siteSpaces } = this.rows
    const now = [
      ...sections.map(({ id, path }) => ({ scope: '', path, id })),
      ...siteSpaces.map(({ id, path, section_id }) => ({ scope: section_id ?? '', path, id })),
    ]

    for (const each of now) this.paths.set(`${each.scope} ${each.path}`, each)
    const ids = new Set(now.map(({ id }) => id))

    for (const { scope, path, id } of this.paths.values()) {
      if (!ids.has(id) || (scope !== '' && !ids.has(scope))) continue
      const isPath = now.some(each => each.scope === scope && each.path === path)
      const alias = findAlias(
        ctx.store,
        { organizationId: 'acme', siteId: this.siteId, scope },
        path,
      )

      assert.ok(
        isPath || (alias && ids.has(alias.target_id)),
        `"${path}" in "${scope}" leads to nothing`,
      )
      assert.not(isPath && alias, `the alias "${path}" in "${scope}" is behind a path`)
    }

    const { site } = this

    for (const { path, row, section } of this.view().siteSpaces) {
      assert.equal(resolveAddress(ctx, site, path), { siteSpaceId: row.id, hops: 0 })
      this.addresses.add(path)
      this.addresses.add(`${section ? `${section.path}/` : ''}${row.path}/${row.path}/`)
    }

    for (const address of this.addresses) resolveAddress(ctx, site, address)
  }

  textOfRows(): string {
    const { groups, sections, siteSpaces } = this.rows
    const star = (stored: string | null, id: string) => (stored === id ? '*' : '')
    const spacesIn = (sectionId: string | null, stored: string | null) =>
      siteSpaces
        .filter(row => row.section_id === sectionId)
        .map(({ id }) => `site-space ${id}${star(stored, id)}`)

    const below = (parent: string | null): string[] =>
      [
        ...sections.filter(row => row.group_id === parent),
        ...groups.filter(row => row.parent_id === parent),
      ]
        .sort((a, b) => a.position - b.position)
        .map(row =>
          'path' in row
            ? `site-section ${row.id}${star(this.site.default_section_id, row.id)}(${spacesIn(row.id, row.default_site_space_id).join(', ')})`
            : `site-section-group ${row.id}(${below(row.id).join(', ')})`,
        )

    return [...spacesIn(null, this.site.default_site_space_id), ...below(null)].join(', ')
  }
}

/** The former paths, each with what it leads to. */
const aliasesOf = (run: Run): Map<string, string> =>
  new Map(
    ctx.store
      .all(query.selectFrom('site_alias').selectAll().where('site_id', '=', run.siteId))
      .map(row => [`${row.scope} ${row.path}`, row.target_id]),
  )

const pick = <Item>(items: readonly Item[], n: number): Item | undefined =>
  items[n % Math.max(1, items.length)]
const nameOf = (n: number) => names[n % names.length] as string
const noSegments: ReadonlySet<string> = new Set()

function addOne(run: Run, [, a, b, c]: Choice): void {
  const { model } = run
  const title = nameOf(a)
  const space = newSpace(title)

  if (c % 3 === 0) {
    const id = run.must(edit => addSection(edit, space, { title, icon: null }, noSegments))
    run.follow()
    const [siteSpace] = run.rows.siteSpaces.filter(row => row.section_id === id)
    model.insert({ type: 'site-section', id }, '')
    model.insert({ type: 'site-space', id: siteSpace?.id as string }, id)
    return
  }

  const section = c % 3 === 1 ? pick(model.all('site-section'), b) : undefined
  const expected =
    section?.id ?? run.view().sections.find(({ isDefault }) => isDefault)?.row.id ?? ''
  const id = run.must(edit => addSiteSpace(edit, space, { sectionId: section?.id }, noSegments))

  model.insert({ type: 'site-space', id }, expected)
  run.follow()
}

function addGroup(run: Run, [, a, b, c]: Choice): void {
  const { model } = run
  const parent = c % 2 ? pick(model.all('site-section-group'), a) : undefined
  const sections = model.all('site-section').filter((_, n) => (b >> n) % 2 === 1)
  const done = run.edit(edit =>
    addSectionGroup(
      edit,
      {
        title: 'Group',
        icon: null,
        parent: parent?.id ?? null,
        sections: sections.map(({ id }) => id),
      },
      noSegments,
    ),
  )
  const tooDeep = parent !== undefined && model.parentOf(parent) !== ''

  assert.is('refused' in done ? done.refused : 'ok', tooDeep ? 'invalid' : 'ok')
  if ('refused' in done) return
  run.follow()
  model.insert({ type: 'site-section-group', id: done.result }, parent?.id ?? '')
  for (const section of sections) model.move(section, done.result)
}

function rename(run: Run, [, a, b]: Choice): void {
  const item = pick(run.model.all('site-section', 'site-space'), a)
  if (!item || (item.type === 'site-space' && !run.isLive(item.id))) return
  const path = nameOf(b)
  const { sections, siteSpaces } = run.rows
  const own = siteSpaces.find(({ id }) => id === item.id)
  const isTaken =
    item.type === 'site-section'
      ? sections.some(row => row.path === path && row.id !== item.id)
      : siteSpaces.some(
          row =>
            row.path === path &&
            row.id !== item.id &&
            row.section_id === own?.section_id &&
            run.isLive(row.id),
        )

  const done = run.edit(edit =>
    item.type === 'site-section'
      ? changeSection(edit, sectionOf(edit, item.id), { path })
      : changeSiteSpace(edit, siteSpaceOf(edit, item.id).row, { path }),
  )

  assert.is('refused' in done ? done.refused : 'ok', isTaken ? 'conflict' : 'ok')
}

/** The answer that the model expects to a move, and the place that the item then has. */
function expectMove(
  run: Run,
  item: StructureItem,
  beside: StructureItem | undefined,
  isAfter: boolean,
) {
  const { model } = run
  if (!beside) {
    const parent = item.type === 'site-space' ? model.parentOf(item) : ''
    return { refused: undefined, parent, index: Number.MAX_SAFE_INTEGER }
  }

  const refuse = (refused: string) => ({ refused, parent: '', index: 0 })
  if (beside.id === item.id || (beside.type === 'site-space') !== (item.type === 'site-space'))
    return refuse('invalid')
  if (beside.type === 'site-space' && !run.isLive(beside.id)) return refuse('invalid')

  const parent = model.parentOf(beside)

  if (item.type === 'site-section-group' && parent !== '') {
    const outer = { type: 'site-section-group', id: parent } as const
    const containsGroup = model.lists
      .get(item.id)
      ?.some(({ type }) => type === 'site-section-group')
    if (parent === item.id || model.parentOf(outer) !== '' || containsGroup)
      return refuse('invalid')
  }

  if (item.type === 'site-space' && parent !== model.parentOf(item)) {
    const { siteSpaces } = run.rows
    const path = siteSpaces.find(({ id }) => id === item.id)?.path
    if (
      siteSpaces.some(row => row.section_id === parent && row.path === path && run.isLive(row.id))
    )
      return refuse('conflict')
  }

  const others = (model.lists.get(parent) ?? []).filter(({ id }) => id !== item.id)
  const index = others.findIndex(({ id }) => id === beside.id) + (isAfter ? 1 : 0)

  return { refused: undefined, parent, index }
}

function move(run: Run, [, a, b, c]: Choice): void {
  const items = run.model.all('site-section', 'site-section-group', 'site-space')
  const item = pick(items, a)
  if (!item || (item.type === 'site-space' && !run.isLive(item.id))) return

  const alike = items.filter(({ type }) => (type === 'site-space') === (item.type === 'site-space'))
  const beside = c % 7 === 0 ? undefined : pick(c % 5 === 0 ? items : alike, b)
  const isAfter = c % 2 === 0
  const { refused, parent, index } = expectMove(run, item, beside, isAfter)
  const done = run.edit(edit =>
    moveItem(edit, item, beside ? { [isAfter ? 'after' : 'before']: beside } : {}),
  )

  assert.is('refused' in done ? done.refused : undefined, refused)
  if (refused === undefined) run.model.move(item, parent, index)
}

function remove(run: Run, [, a]: Choice): void {
  const { model } = run
  const item = pick(model.all('site-section', 'site-section-group', 'site-space'), a)
  if (!item || (item.type === 'site-space' && !run.isLive(item.id))) return

  if (item.type === 'site-section') run.must(edit => removeSection(edit, sectionOf(edit, item.id)))
  else if (item.type === 'site-space')
    run.must(edit => removeSiteSpace(edit, siteSpaceOf(edit, item.id).row))
  else {
    run.must(edit => removeSectionGroup(edit, groupOf(edit, item.id)))
    const parent = model.parentOf(item)
    const index = model.lists.get(parent)?.findIndex(({ id }) => id === item.id) ?? 0
    for (const [n, child] of [...(model.lists.get(item.id) ?? [])].entries())
      model.move(child, parent, index + n)
  }

  model.remove(item)
}

function regroup(run: Run, [, a, b, c]: Choice): void {
  const { model } = run
  const group = pick(model.all('site-section-group'), a)
  const section = pick(model.all('site-section'), b)
  if (!group || !section) return

  const isInside = model.parentOf(section) === group.id

  if (c % 2 === 0) {
    run.must(edit => addToGroup(edit, groupOf(edit, group.id), sectionOf(edit, section.id)))
    if (!isInside) model.move(section, group.id)
  } else if (isInside) {
    run.must(edit => takeFromGroup(edit, groupOf(edit, group.id), sectionOf(edit, section.id)))
    const parent = model.parentOf(group)
    const index = model.lists.get(parent)?.findIndex(({ id }) => id === group.id) ?? 0
    model.move(section, parent, index + 1)
  }
}

function changeDefault(run: Run, [, a, b]: Choice): void {
  const section = pick(run.model.all('site-section'), a)
  const siteSpace = pick(
    run.model.all('site-space').filter(({ id }) => run.isLive(id)),
    b,
  )
  if (!section || !siteSpace) return

  const done = run.edit(edit =>
    changeSection(edit, sectionOf(edit, section.id), { default_site_space_id: siteSpace.id }),
  )
  const fits = run.model.parentOf(siteSpace) === section.id

  assert.is('refused' in done ? done.refused : 'ok', fits ? 'ok' : 'invalid')
  if (fits) run.model.defaults.set(section.id, siteSpace.id)
}

/** Deletes the space of a site space, or restores it. */
function flipSpace(run: Run, [, a]: Choice): void {
  const row = pick(run.rows.siteSpaces, a)
  if (row) updateSpace(ctx.store, row.space_id, { deleted_at: run.isLive(row.id) ? at : null })
}

const edits = [
  addOne,
  addOne,
  addGroup,
  rename,
  rename,
  move,
  move,
  move,
  remove,
  regroup,
  changeDefault,
  flipSpace,
]

test('random edits keep the structure whole, in the order of a model, and lead every former path somewhere', () => {
  const number = fc.nat(1000)
  const choice = fc.tuple(fc.nat(edits.length - 1), number, number, number)
  fc.assert(
    fc.property(fc.array(choice, { minLength: editsInRun, maxLength: editsInRun }), choices => {
      const run = new Run()
      for (const each of choices) {
        const edit = edits[each[0]]
        const before = aliasesOf(run)
        edit?.(run, each)
        run.check()
        if (edit !== addOne && edit !== addGroup) continue

        // Derived paths take no former paths.
        const after = aliasesOf(run)

        for (const [path, target] of before)
          assert.is(after.get(path), target, `the alias "${path}"`)
      }
    }),
    { numRuns: runs },
  )
})

test.run()
