import type { SiteExternalLinkRow } from '../../store/tables/rows.ts'
import { Checkbox, Form, Submit, TextField } from '../parts/form.tsx'
import { Badge, Row, Rows, Section } from '../parts/pieces.tsx'

/** Shows the external links of a site, with forms that add and delete them. */
export const Links = ({ links, path }: { links: readonly SiteExternalLinkRow[]; path: string }) => (
  <Section title="Links" id="links">
    <p class="muted">Links to other places stand among the sections of the site, as tabs.</p>
    {links.length > 0 && (
      <Rows>
        {links.map(row => (
          <Row
            title={
              <>
                {row.title} {row.draft === 1 && <Badge>Draft</Badge>}
              </>
            }
            small={row.url}
            end={
              <div class="person-forms">
                {row.draft === 1 && (
                  <Form to={`${path}/external-links/${row.id}/publish`} class="inline">
                    <Submit label={`Publish the link ${row.title}`}>Publish</Submit>
                  </Form>
                )}
                <Form to={`${path}/external-links/${row.id}/delete`} class="inline">
                  <Submit label={`Delete the link ${row.title}`}>Delete</Submit>
                </Form>
              </div>
            }
          />
        ))}
      </Rows>
    )}
    <Form to={`${path}/external-links`} class="stacked">
      <TextField name="title" label="Title" required maxlength={128} />
      <TextField
        name="url"
        label="Address"
        type="url"
        required
        maxlength={2048}
        placeholder="https://blog.example.org/"
      />
      <Checkbox name="draft" label="Draft: readers do not see it yet" />
      <Submit>Add link</Submit>
    </Form>
  </Section>
)
