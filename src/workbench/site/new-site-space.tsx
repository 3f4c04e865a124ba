import type { SpaceRow } from '../../store/tables/rows.ts'
import { Fold } from '../parts/fold.tsx'
import { Checkbox, Choice, Form, Hidden, Select, Submit } from '../parts/form.tsx'

/** Returns the form that puts a space on a site; on an empty site, it is the first one. */
export function NewSiteSpace(props: { spaces: SpaceRow[]; path: string; isFirst?: boolean }) {
  const { spaces, path, isFirst } = props
  const to = `${path}/spaces`
  if (spaces.length === 0) return null
  return (
    <Fold to={to} summary="Add a space" isButton>
      <Form to={to} class="stacked">
        <Select
          name="space"
          label="Space"
          options={spaces.map(({ id, title }) => ({ value: id, title }))}
          required
        />
        {isFirst ? (
          <Hidden name="as" value="variant" />
        ) : (
          <Choice
            name="as"
            label="Where readers find it"
            value="section"
            options={[
              { value: 'section', title: 'In a section of its own, with a tab' },
              {
                value: 'variant',
                title: 'As a variant, such as another version or language, in the list of variants',
              },
            ]}
          />
        )}
        <Checkbox name="draft" label="Draft: readers do not see it yet" />
        <Submit kind="primary">Add space</Submit>
      </Form>
    </Fold>
  )
}
