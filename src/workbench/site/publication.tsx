import { isForMembers } from '../../access/site-roles.ts'
import type { SiteRow } from '../../store/tables/rows.ts'
import { Form, Submit } from '../parts/form.tsx'
import { Badge, Section } from '../parts/pieces.tsx'

/** Who reads a published site, by its visibility. */
const readers: Readonly<Record<SiteRow['visibility'], string>> = {
  public: 'Everybody can read it.',
  unlisted: 'Everybody who knows the address can read it. Search engines leave it out.',
  'share-link': 'Everybody who has one of its share links can read it.',
  'visitor-auth': 'Visitors whom your own server has signed in can read it.',
}

type Shown = {
  site: SiteRow
  /** Where its readers find it. */
  address: string
  /** Where a member reads it, also before it is published. */
  href: string
  /** Whether the caller may publish it. */
  publishes: boolean
  path: string
}

/** Shows whether a site is published, for whom and where, with the form that changes it. */
export function Publication({ site, address, href, publishes, path }: Shown) {
  const isPublished = site.published === 1
  const words = isForMembers(site)
    ? 'Members of the organization can read it.'
    : readers[site.visibility]
  return (
    <Section title="Publication" id="publication">
      <p>
        <Badge tone={isPublished ? 'success' : 'muted'}>
          {isPublished ? 'Published' : 'Not published'}
        </Badge>{' '}
        {isPublished
          ? words
          : `Once it is published: ${words.charAt(0).toLowerCase()}${words.slice(1)}`}
      </p>
      <p>
        <a href={href}>{isPublished ? address : 'Preview of the site'}</a>
      </p>
      {publishes && (
        <Form to={`${path}/publish`}>
          {isPublished ? (
            <Submit name="do" value="unpublish">
              Unpublish
            </Submit>
          ) : (
            <Submit kind="primary" name="do" value="publish">
              Publish
            </Submit>
          )}
        </Form>
      )}
    </Section>
  )
}
