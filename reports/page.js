// Adds a button to every text that is there to be copied. Without it the page reads the same.
for (const block of document.querySelectorAll('pre[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy ' + block.dataset.copy;
  const say = (text) => {
    button.textContent = text;
    setTimeout(() => { button.textContent = 'Copy ' + block.dataset.copy; }, 2000);
  };
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.textContent);
      say('Copied');
    } catch {
      // Where the clipboard is not given to a file, the text is at least selected.
      getSelection().selectAllChildren(block);
      say('Selected: press Ctrl+C');
    }
  });
  block.before(button);
}
