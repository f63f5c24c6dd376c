"""Each call of the real captures as a person judged it from the list of its messages: state by the rules of the JSON of
read (docs/read.md), times worked out from the frames by another program. See truth.py; the order is that of the first message.

Left out: the two fuzzed captures, whose calls are as many as there are opinions, and what is not built yet."""

CALLS = {
    'ndpi-FAX-Call-t38-CA-TDM-SIP-FB-1.masked.pcap': [
        'call ended 200 messages=46 again=0 attempts=1 trying=1.066 pdd=169.308 setup=6841.655 duration=76886.354 by=caller',
        'call ended 200 messages=23 again=0 attempts=1 trying=61.231 pdd=162.29 setup=6831.581 duration=76891.676 by=caller',
    ],
    'ndpi-sip_hello.masked.pcapng': [
        'registration registered 200 messages=8 again=0 attempts=3 expires=600',
    ],
    'pcap2sipp-example.masked.pcap': [
        'options answered 200 messages=2 again=0 attempts=1',
        'options answered 200 messages=2 again=0 attempts=1',
        'call ended 200 messages=12 again=0 attempts=1 trying=12.272 pdd=661.059 setup=9224.056 duration=12405.289 by=caller',
        'call ended 200 messages=12 again=0 attempts=1 trying=28.441 pdd=541.694 setup=9060.426 duration=12476.783 by=caller',
        'options answered 200 messages=2 again=0 attempts=1',
        'options answered 200 messages=2 again=0 attempts=1',
        'options answered 200 messages=2 again=0 attempts=1',
        'options answered 200 messages=2 again=0 attempts=1',
        'call failed 483 messages=3 again=0 attempts=1 pdd=8.097',
        'options answered 200 messages=2 again=0 attempts=1',
    ],
    'pcpp-sip_non_default_port.pcap': [
        'call calling - messages=1 again=0 attempts=1',
        'call answered 200 messages=1 again=0 attempts=0 duration=0',
    ],
    'sipnab-Asterisk_ZFONE_XLITE.pcap': [
        'registration registered 200 messages=4 again=0 attempts=2 expires=3600',
        'options answered 200 messages=2 again=0 attempts=1',
        'subscription failed 404 messages=4 again=0 attempts=2',
        'subscription failed 404 messages=4 again=0 attempts=2',
        'call ended 200 messages=13 again=0 attempts=2 trying=0.888 pdd=23.886 setup=7644.246 duration=15974.649 by=callee',
    ],
    'sipnab-DTMFsipinfo.pcap': [
        'call answered 200 messages=32 again=0 attempts=3 trying=89.011 pdd=90.748 setup=90.748 duration=78383.692 dtmf=1342',
    ],
    'sipnab-SIP_DTMF2.cap': [
        'registration registered 200 messages=6 again=0 attempts=1 expires=3600',
        'registration registered 200 messages=6 again=0 attempts=1 expires=3600',
        'call failed 603 messages=4 again=0 attempts=1 trying=0.434 pdd=17.102',
        'registration registered 200 messages=3 again=0 attempts=1 expires=3600',
        'call answered 200 messages=10 again=0 attempts=1 trying=0.429 pdd=1098.795 setup=2322.704 duration=42502.859',
    ],
    'sipnab-h263-over-rtp.pcap': [
        'call answered 200 messages=4 again=0 attempts=1 trying=189.23 pdd=318.597 setup=318.597 duration=1157.999',
    ],
    'sipnab-metasploit-sip-invite-spoof.pcap': [
        'call ringing - messages=2 again=0 attempts=1 pdd=101.074',
    ],
    'sipnab-sip-rtp-g711.pcap': [
        'call ended 200 messages=6 again=0 attempts=1 trying=0.152 pdd=4.35 setup=4.35 duration=8499.343 by=callee',
        'call answered 200 messages=4 again=0 attempts=1 trying=0.146 pdd=4.668 setup=4.668 duration=8278.317',
    ],
    'sipnab-sip-rtp-g722.pcap': [
        'call ended 200 messages=6 again=0 attempts=1 trying=0.168 pdd=4.511 setup=4.511 duration=8499.068 by=callee',
    ],
    'sipnab-sip-rtp-g729a.pcap': [
        'call ended 200 messages=6 again=0 attempts=1 trying=0.32 pdd=7.689 setup=7.689 duration=8499.07 by=callee',
    ],
    'sipnab-sip-rtp-opus-hybrid.pcap': [
        'call answered 200 messages=2 again=0 attempts=1 pdd=5.554 setup=5.554 duration=6318.661',
    ],
    'sngrep-aaa.masked.pcap': [
        'registration failed 401 messages=9 again=0 attempts=3',
        'registration failed 401 messages=13 again=0 attempts=5 expires=1200',
        'call failed 408 messages=18 again=12 attempts=1 trying=2216.238 pdd=36772.805',
        'call failed 403 messages=8 again=2 attempts=2 pdd=204.56',
        'registration failed 401 messages=4 again=0 attempts=2',
        'registration registered 200 messages=14 again=0 attempts=5 expires=1200',
        'call failed 403 messages=7 again=0 attempts=2 trying=174.184 pdd=193.853',
        'call failed 480 messages=8 again=0 attempts=2 trying=171.603 pdd=426.462',
    ],
    'suricata-sip_compact_form.masked.pcap': [
        'call calling - messages=1 again=0 attempts=1',
    ],
    'suricata-sip_header_multi_val.masked.pcap': [
        'call calling - messages=1 again=0 attempts=1',
    ],
    'wireshark-sip.masked.pcapng': [
        'registration registered 200 messages=2 again=0 attempts=1 expires=34',
        'call ringing - messages=3 again=0 attempts=1 trying=4 pdd=27',
    ],
    'zeek-invalid-content-length.pcap': [
        'call answered 200 messages=2 again=0 attempts=1 pdd=0.83 setup=0.83 duration=0',
    ],
    'zeek-sip-junk-before-request.pcap': [
        'registration registering - messages=1 again=0 attempts=1',
    ],
    'zeek-sip-long-request-response-paths.pcap': [
        'options answered 200 messages=2 again=0 attempts=1',
    ],
}
