import type { StructureItem } from '../../../src/actions/sites/structure/structure-edit.ts'

export type Kind = StructureItem['type']

/**
 * A structure as plain lists: the children of each group, section and root by its id, '' for the
 * root.
 */
export class Model {
  readonly lists = new Map<string, StructureItem[]>([['', []]])
  /** The stored default of the root and of each section. */
  readonly defaults = new Map<string, string>()

  /** The items of one kind, in the order of the structure. */
  all(...kinds: Kind[]): StructureItem[] {
    const walk = (parent: string): StructureItem[] =>
      (this.lists.get(parent) ?? []).flatMap(item => [item, ...walk(item.id)])
    return walk('').filter(item => kinds.includes(item.type))
  }

  parentOf({ id }: StructureItem): string {
    for (const [parent, items] of this.lists) if (items.some(item => item.id === id)) return parent
    throw new Error(`The model has no ${id}.`)
  }

  typeOf(id: string): Kind | undefined {
    return this.all('site-section', 'site-section-group', 'site-space').find(item => item.id === id)
      ?.type
  }

  insert(item: StructureItem, parent: string, index = Number.MAX_SAFE_INTEGER): void {
    this.#listOf(parent).splice(index, 0, item)
    if (item.type !== 'site-space' && !this.lists.has(item.id)) this.lists.set(item.id, [])
  }

  take(item: StructureItem): void {
    const list = this.#listOf(this.parentOf(item))
    list.splice(
      list.findIndex(({ id }) => id === item.id),
      1,
    )
  }

  move(item: StructureItem, parent: string, index?: number): void {
    this.take(item)
    this.insert(item, parent, index)
  }

  remove(item: StructureItem): void {
    this.take(item)
    this.lists.delete(item.id)
    this.defaults.delete(item.id)
  }

  /** Puts the root site spaces into a section. */
  convert(sectionId: string): void {
    const spaces = this.all('site-space')
    const groups = this.all('site-section-group').filter(group => this.parentOf(group) === '')
    this.lists.set('', [{ type: 'site-section', id: sectionId }, ...groups])
    this.lists.set(sectionId, spaces)
    const before = this.defaults.get('')
    if (before !== undefined) this.defaults.set(sectionId, before)
    this.defaults.set('', sectionId)
  }

  /** Sets a default where the stored one is gone: the first item that is live, else the first. */
  settle(isLive: (siteSpaceId: string) => boolean): void {
    const settleIn = (
      parent: string,
      items: StructureItem[],
      live: (item: StructureItem) => boolean,
    ) => {
      if (items.some(({ id }) => id === this.defaults.get(parent))) return
      const next = items.find(live) ?? items[0]
      if (next) this.defaults.set(parent, next.id)
      else this.defaults.delete(parent)
    }
    const sections = this.all('site-section')
    for (const { id } of sections) settleIn(id, this.#listOf(id), item => isLive(item.id))

    if (sections.length > 0)
      settleIn('', sections, ({ id }) => this.#listOf(id).some(each => isLive(each.id)))
    else
      settleIn(
        '',
        this.#listOf('').filter(({ type }) => type === 'site-space'),
        ({ id }) => isLive(id),
      )
  }

  /** The structure as text, with `*` behind the defaults. */
  text(parent = ''): string {
    const isDefault = (item: StructureItem) =>
      item.type === 'site-section'
        ? this.defaults.get('') === item.id
        : item.type === 'site-space' && this.defaults.get(this.parentOf(item)) === item.id
    return this.#listOf(parent)
      .map(item => {
        const below = item.type === 'site-space' ? '' : `(${this.text(item.id)})`
        return `${item.type} ${item.id}${isDefault(item) ? '*' : ''}${below}`
      })
      .join(', ')
  }

  #listOf(parent: string): StructureItem[] {
    const list = this.lists.get(parent)
    if (!list) throw new Error(`The model has no list ${parent}.`)
    return list
  }
}
