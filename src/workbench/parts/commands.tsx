/** Returns commands to copy. */
export const Commands = ({ text }: { text: string }) => (
  <figure class="code wrap">
    <pre>
      <code>{text}</code>
    </pre>
  </figure>
)
