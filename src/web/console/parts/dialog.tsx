import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Button } from './button.tsx';

interface DialogProps {
  title: string;
  /** Called however it is closed. */
  onClose: () => void;
  children: ComponentChildren;
  /** At the side of the page, for what is read beside it. */
  isDrawer?: boolean;
  /** It cannot be closed without an answer. */
  isRequired?: boolean;
}

/** A modal dialog that keeps the focus within, and gives it back. */
export function Dialog({
  title,
  onClose,
  children,
  isDrawer = false,
  isRequired = false,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside it closes it as Escape does
    <dialog
      ref={dialog}
      class={isDrawer ? 'drawer' : undefined}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        if (!isRequired) onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current && !isRequired) onClose();
      }}
    >
      <div class="dialog-body">
        <header>
          <h2 id="dialog-title">{title}</h2>
          {isRequired ? null : (
            <Button kind="quiet" icon="cross" label={t('close')} onClick={onClose} />
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** Asks before something is done that cannot be undone. */
export function Confirm({
  title,
  action,
  onConfirm,
  onClose,
  children,
}: Omit<DialogProps, 'isDrawer' | 'isRequired'> & { action: string; onConfirm: () => void }) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div class="row end">
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button
          kind="danger"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
