import type { StructureItem } from '../../actions/sites/structure/structure-edit.ts'
import type { SiteSpaceView, SiteView, StructureView } from '../../actions/sites/view-site.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { Fold } from '../parts/fold.tsx'
import { Checkbox, Form, Hidden, Submit, TextField } from '../parts/form.tsx'
import { Badge, Empty, Row, Rows, Section } from '../parts/pieces.tsx'
import { NewSiteSpace } from './new-site-space.tsx'

/** An item as the list shows it. */
type Entry = {
  item: StructureItem
  title: string
  /** What it is, and where it leads. */
  small: string
  /** How many sections and groups it is in. */
  depth: number
  draft: boolean
  /** Undefined for an item that takes no condition. */
  condition: string | null | undefined
  to?: string
  url?: string
  isFirst: boolean
  isLast: boolean
}

type Listed = readonly (StructureView | SiteSpaceView)[]

/** Returns the items of a structure in their order, each with what is in it behind it. */
const entriesOf = (items: Listed, depth = 0): Entry[] =>
  items.flatMap((each, at) => {
    const { kind, row } = each
    const place = { isFirst: at === 0, isLast: at === items.length - 1, depth }
    const own = { item: { type: kind, id: row.id }, draft: row.draft === 1, ...place }
    switch (kind) {
      case 'site-space': {
        const { space, path, isDefault } = each
        const small = `/${path}${isDefault && items.length > 1 ? ' · default' : ''}`
        const { condition } = each.row
        return { ...own, title: space.title, small, condition, to: `/s/${space.id}` }
      }
      case 'site-external-link': {
        const { title, url, condition } = each.row
        return { ...own, title, small: `Link to ${url}`, url, condition }
      }
      case 'site-section': {
        const { title, condition } = each.row
        const small = `Section · /${each.path}${each.isDefault ? ' · default' : ''}`
        return [{ ...own, title, small, condition }, ...entriesOf(each.siteSpaces, depth + 1)]
      }
      default: {
        const entry = { ...own, title: each.row.title, small: 'Group', condition: undefined }
        return [entry, ...entriesOf(each.children, depth + 1)]
      }
    }
  })

type Shown = { view: SiteView; spaces: SpaceRow[]; path: string }

/** Shows the structure of a site, with forms that arrange and change its items. */
export function Structure({ view: { root }, spaces, path }: Shown) {
  const entries = entriesOf(root.items)
  return (
    <Section title="Structure" id="structure">
      {entries.length === 0 ? (
        <Empty>The site shows no space that you may read.</Empty>
      ) : (
        <>
          <Rows>
            {entries.map(entry => (
              <EntryRow entry={entry} path={path} />
            ))}
          </Rows>
          <p class="muted">
            “Duplicate” copies a space with its pages and its history. The copy is placed after the
            original, with the same conditions: use it to begin the next version of a manual.
          </p>
        </>
      )}
      <NewSiteSpace spaces={spaces} path={path} />
      {root.type === 'sections' && <NewLink path={path} />}
    </Section>
  )
}

function EntryRow({ entry, path }: { entry: Entry; path: string }) {
  const { item, title, small, depth, draft, condition, to, isFirst, isLast } = entry
  const own = `${path}/structure/${item.id}`
  return (
    <Row
      {...(to !== undefined && { to })}
      depth={depth}
      title={title}
      small={small}
      end={
        <div class="person-forms">
          {draft && <Badge>Draft</Badge>}
          {condition && <Badge tone="info">Condition</Badge>}
          <Form to={`${own}/step`} class="inline" label={`Place of ${title}`}>
            <Hidden name="type" value={item.type} />
            {!isFirst && (
              <Submit name="do" value="up" label={`Move ${title} up`}>
                ↑
              </Submit>
            )}
            {!isLast && (
              <Submit name="do" value="down" label={`Move ${title} down`}>
                ↓
              </Submit>
            )}
            {draft ? (
              <Submit name="do" value="publish" label={`Publish ${title}`}>
                Publish
              </Submit>
            ) : (
              <Submit name="do" value="draft" label={`Make ${title} a draft`}>
                Make it a draft
              </Submit>
            )}
          </Form>
          <Deeds entry={entry} path={path} />
        </div>
      }
    />
  )
}

/** What the button says that removes an item. */
const removals: Readonly<Record<StructureItem['type'], string>> = {
  'site-space': 'Take it off the site',
  'site-section': 'Delete the section',
  'site-section-group': 'Delete the group',
  'site-external-link': 'Delete the link',
}

/** Shows the forms that duplicate, edit and remove an item. */
function Deeds({ entry: { item, title, condition, url }, path }: { entry: Entry; path: string }) {
  const isSpace = item.type === 'site-space'
  return (
    <>
      {isSpace && (
        <Form to={`${path}/site-spaces/${item.id}/duplicate`} class="inline">
          <Submit label={`Duplicate ${title}`}>Duplicate</Submit>
        </Form>
      )}
      <Fold to={`${path}/structure/${item.id}`} summary="Edit" isButton>
        <Form to={`${path}/structure/${item.id}`} label={`Edit ${title}`} class="stacked">
          <Hidden name="type" value={item.type} />
          {!isSpace && (
            <TextField name="title" label="Title" value={title} required maxlength={128} />
          )}
          {url !== undefined && <Address value={url} />}
          {condition !== undefined && (
            <TextField
              name="condition"
              label="Condition"
              value={condition ?? ''}
              maxlength={1024}
              placeholder="visitor.claims.plan == 'pro'"
              hint="Readers see the item only if this is true. If it is empty, all readers see it."
            />
          )}
          <Submit kind="primary" label={`Save ${title}`}>
            Save
          </Submit>
        </Form>
        <Form to={`${path}/structure/${item.id}/step`} name="remove">
          <Hidden name="type" value={item.type} />
          <Submit kind="danger" name="do" value="remove" label={`Remove ${title}`}>
            {removals[item.type]}
          </Submit>
        </Form>
      </Fold>
    </>
  )
}

const Address = ({ value }: { value?: string }) => (
  <TextField
    name="url"
    label="Address"
    type="url"
    required
    value={value}
    maxlength={2048}
    placeholder="https://blog.example.org/"
  />
)

const NewLink = ({ path }: { path: string }) => (
  <Fold to={`${path}/external-links`} summary="New external link" isButton>
    <Form to={`${path}/external-links`} class="stacked">
      <TextField name="title" label="Title" required maxlength={128} />
      <Address />
      <Checkbox name="draft" label="Draft: readers do not see it yet" />
      <Submit kind="primary">Add link</Submit>
    </Form>
  </Fold>
)
