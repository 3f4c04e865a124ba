import { Form, Hidden, Submit, TextArea } from '../../parts/form.tsx'
import { A } from '../../parts/link.tsx'
import { withQuery } from '../paths.ts'
import type { ViewName } from './load.ts'

type CommentFormProps = {
  /** The path of the page with its changes, and the view in which the comment is written. */
  own: string
  view: ViewName
  /** The block or line: its name. */
  name: string
  what: 'block' | 'line'
}

/** Returns the form of a comment on a block or a line. */
export const CommentForm = ({ own, view, name, what }: CommentFormProps) => (
  <Form to={`${own}/comments`} name={name} class="at-block" label={`Comment on the ${what}`}>
    <Hidden name="block" value={name} />
    <Hidden name="view" value={view} />
    <TextArea
      name="text"
      label={`Comment on this ${what}`}
      placeholder="Markdown"
      rows={3}
      required
      autofocus
    />
    <div class="buttons">
      <Submit kind="primary">Comment</Submit>
      <A to={withQuery(own, { view: view === 'page' ? undefined : view })} class="btn">
        Cancel
      </A>
    </div>
  </Form>
)
