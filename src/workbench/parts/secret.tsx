import { Note } from './pieces.tsx'

/** Returns a secret that is shown this once, with a button that copies it where scripts run. */
export const Secret = ({ about, text }: { about: string; text: string }) => (
  <Note tone="success">
    <p>{about}</p>
    <figure class="code secret">
      <pre>
        <code>{text}</code>
      </pre>
    </figure>
  </Note>
)
