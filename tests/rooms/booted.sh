# Run in the room of units.sh as root, when the service is installed; it stops at what fails.
# The lines in braces are those of the documents.
cd /opt/reibach
echo REIBACH_BOT_DELAY=0 >> /etc/reibach.env
{start}
main=$(systemctl show -p MainPID --value reibach)
grep -q 'NoNewPrivs:.1' /proc/$main/status
grep -q 'Seccomp:.2' /proc/$main/status
if nsenter -t $main -m touch /opt/reibach/x; then exit 1; fi
seats='{{"seats": [{{"bot": "greedy"}}, {{"bot": "random"}}]}}'
opened=$(curl -fsS -H 'Content-Type: application/json' -d "$seats" http://127.0.0.1:8000/v1/games)
game=$(echo "$opened" | sed 's/.*"game":{{"id":"\([^"]*\)".*/\1/')
until curl -fsS http://127.0.0.1:8000/v1/games/$game | grep -q '"status":"over"'; do sleep 0.2; done
systemctl restart reibach
{command}
systemctl stop reibach
test "$(systemctl show -p Result --value reibach)" = success

redis-server --daemonize yes --appendonly yes --appendfsync always --maxmemory-policy noeviction --dir /var/lib/redis
echo REIBACH_REDIS_URL=redis://127.0.0.1:6379 >> /etc/reibach.env
echo REIBACH_KEYS_FILE=/var/lib/reibach/keys.json >> /etc/reibach.env
{parts}
until curl -fsS http://127.0.0.1:8001/readyz | grep -v missing; do sleep 1; done
opened=$(curl -fsS -H 'Content-Type: application/json' -d "$seats" http://127.0.0.1:8001/v1/games)
game=$(echo "$opened" | sed 's/.*"game":{{"id":"\([^"]*\)".*/\1/')
until curl -fsS http://127.0.0.1:8002/v1/games/$game | grep -q '"status":"over"'; do sleep 0.2; done
test "$(stat -c %U /var/lib/reibach/keys.json)" = reibach
systemctl stop 'reibach-*'
for unit in reibach-web@8001 reibach-web@8002 reibach-worker@1 reibach-worker@2 reibach-post; do
    test "$(systemctl show -p Result --value $unit)" = success
done
echo done
