import { A } from '../parts/link.tsx'
import { useSurroundings } from '../parts/surroundings.ts'
import { newSpacePath } from './rows.tsx'

type Steps = {
  /** The organization in which the user may create spaces, and the one to which they may invite. */
  createsIn: string | undefined
  invitesTo: string | undefined
}

/** Returns what to do first, where a user may read nothing yet. */
export const FirstSteps = ({ createsIn, invitesTo }: Steps) =>
  createsIn === undefined ? (
    <ReadersSteps />
  ) : (
    <MakersSteps createsIn={createsIn} invitesTo={invitesTo} />
  )

function ReadersSteps() {
  const { base } = useSurroundings()
  return (
    <ul class="plain cards">
      <li class="card">
        <b>Ask for a space</b>
        <p>
          An administrator of your organization gives you a role on a space. It is listed here from
          then on.
        </p>
      </li>
      <li class="card">
        <b>Read what is published</b>
        <p>
          <a href={`${base}/`}>The sites of this server</a> are open to everybody who may read them.
        </p>
      </li>
      <li class="card">
        <b>Write your name</b>
        <p>
          Reviews and comments show the name of <A to="/account">your account</A>.
        </p>
      </li>
    </ul>
  )
}

function MakersSteps({ createsIn, invitesTo }: Steps & { createsIn: string }) {
  return (
    <ul class="plain cards">
      <li class="card">
        <b>Write here</b>
        <p>
          <A to={newSpacePath(createsIn)}>Create a space</A> and write its pages, or import files
          into it.
        </p>
      </li>
      <li class="card">
        <b>Publish a folder</b>
        <p>The Markdown files of a folder become a space and a site:</p>
        <pre>
          <code>npx stemma publish ./docs</code>
        </pre>
        <p>
          It needs a token, which you create in <A to="/account">your account</A>.
        </p>
      </li>
      <li class="card">
        <b>Bring a Git repository</b>
        <p>A branch of it becomes the content of a new space, with its history:</p>
        <pre>
          <code>
            {`SPACE=$(npx stemma space create --title Docs --empty)\nnpx stemma import $SPACE --url https://… --ref main`}
          </code>
        </pre>
      </li>
      <li class="card">
        <b>Invite others</b>
        <p>
          <A to={invitesTo === undefined ? '/people' : `/people/${invitesTo}`}>People</A> makes
          links with which they join, with the role that you choose.
        </p>
      </li>
    </ul>
  )
}
